// quickjs.js gives a classic script, such as that of a worker made from a blob, the JavaScript engine
// QuickJS: QuickJS.load(bytes) takes the bytes of quickjs.wasm and fetches nothing.
import * as core from "quickjs-emscripten-core";
import variant from "@jitl/quickjs-wasmfile-release-sync";

globalThis.QuickJS = {
  ...core,
  variant,
  // load resolves to a QuickJSWASMModule. wasm is an ArrayBuffer, or a WebAssembly.Module, which starts
  // faster the second time.
  load: (wasm) => core.newQuickJSWASMModuleFromVariant(
    core.newVariant(variant, wasm instanceof WebAssembly.Module ? { wasmModule: wasm } : { wasmBinary: wasm }),
  ),
};
