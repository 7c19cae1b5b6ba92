package scenarios

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

func compileSchema(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("s.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("s.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// instance reads YAML as the JSON value that an editor would check.
func instance(t *testing.T, text []byte) any {
	t.Helper()
	var x any
	if err := yaml.Unmarshal(text, &x); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestSchemaAccepts: the schema accepts what the project ships, and the
// effective configuration that simnet writes.
func TestSchemaAccepts(t *testing.T) {
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	s := compileSchema(t, text)
	files, studies := shippedFiles(t)
	for _, f := range append(files, "testdata/small.yaml") {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(instance(t, b)); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		v, err := Load(f, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(instance(t, v.Effective())); err != nil {
			t.Errorf("%s: effective: %v", f, err)
		}
	}
	text, err = StudySchema()
	if err != nil {
		t.Fatal(err)
	}
	s = compileSchema(t, text)
	for _, f := range studies {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(instance(t, b)); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
}

// TestSchemaRefuses: what one value or key tells is refused by the schema too.
func TestSchemaRefuses(t *testing.T) {
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	s := compileSchema(t, text)
	n := 0
	for _, kind := range []string{"unknown_key", "unit", "type", "enum", "nccl_unknown"} {
		files, _ := filepath.Glob("testdata/broken/" + kind + "*.yaml")
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if n++; s.Validate(instance(t, b)) == nil {
				t.Errorf("%s is accepted", f)
			}
		}
	}
	if n < 10 {
		t.Errorf("only %d files", n)
	}
}
