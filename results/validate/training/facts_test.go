package training

import "testing"

// What SC21 says in words about its curves holds, but for two optima that the
// model puts one step aside at a batch of 128, a percent or two higher.
func TestFacts(t *testing.T) {
	facts, err := Facts()
	if err != nil {
		t.Fatal(err)
	}
	want := []bool{true, true, false, false, true, true}
	if len(facts) != len(want) {
		t.Fatalf("%d facts", len(facts))
	}
	for i, f := range facts {
		t.Logf("%s: %s", f.Statement, f.Predicted)
		if f.Holds != want[i] {
			t.Errorf("%s: %s, holds: %v", f.Statement, f.Predicted, f.Holds)
		}
	}
}
