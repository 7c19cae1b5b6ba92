package scenarios

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

//go:embed *.yaml
var shipped embed.FS

// Shipped loads one of the scenarios that come with simnet, by name without
// .yaml, wherever the program runs.
func Shipped(name string, sets []string) (*Valid, error) {
	file := name + ".yaml"
	text, err := shipped.ReadFile(file)
	if err != nil {
		var names []string
		entries, _ := shipped.ReadDir(".")
		for _, e := range entries {
			names = append(names, strings.TrimSuffix(path.Base(e.Name()), ".yaml"))
		}
		return nil, fmt.Errorf("no shipped scenario %q; there are %s", name, strings.Join(names, ", "))
	}
	return Parse(file, text, sets)
}
