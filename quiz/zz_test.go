package quiz
import ("testing";"os";"path/filepath";"time";"retrylab/lab/scenario")
func TestZ(t *testing.T){
 s:=NewSolver(); defer s.Close()
 files,_:=filepath.Glob("bank/*.yaml")
 for _,f:=range files{
  data,_:=os.ReadFile(f)
  q,err:=Parse(filepath.Base(f),data)
  for _,p:=range scenario.Problems(err){t.Error(p)}
  if err!=nil{continue}
  start:=time.Now()
  ps,err:=s.Check(t.Context(),q,CheckOptions{})
  if err!=nil{t.Fatal(err)}
  for _,p:=range ps{t.Error(p)}
  t.Log(f,time.Since(start))
  for _,qu:=range q.Questions{
    for seed:=range min(qu.Combinations(),4){
     v:=qu.Variant(seed); sol,err:=s.Solve(t.Context(),v); if err!=nil{t.Fatal(err)}
     t.Log(qu.ID,v.Values,"ask",v.Ask.In("en",v.Values),"shown",v.Shown(),"key",sol.Key.Text,sol.Work)
     for _,w:=range sol.Wrong{t.Log("    ",w.Mistake,w.Answer.Text)}
     for _,o:=range sol.Options{t.Log("    opt",o.ID,o.Right,o.Mistake,sol.OptionText(o,"en"))}
    }
  }
 }
}
