// Package e2e tests the built site in a browser.
//
// make test builds the programs, installs what the tests need, and sets E2E=1; without that variable
// the tests here are skipped and say so. E2E_SHOTS names a folder for screenshots.
//
// A test serves a site on a free port ([serve]), opens a tab ([open]), and finds things by role and
// accessible name, or by visible text, as a person would. Every tab collects what goes wrong in it:
// console errors, uncaught exceptions, violations of the content security policy, failed requests and
// requests to other hosts fail the test that opened it, unless the test says that it expects them.
package e2e
