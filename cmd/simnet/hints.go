package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simnet/simnet/scenarios"
)

// didYouMean is the end of a message about a word that is none of known: what
// was probably meant, or nothing where no word is near.
func didYouMean(word string, known []string) string {
	if n := scenarios.Nearest(word, known); n != "" {
		return " (did you mean " + n + "?)"
	}
	return ""
}

// explainUsage makes every command below c say what it wants, and what was
// probably meant, where cobra only counts arguments or names the flag.
func explainUsage(c *cobra.Command) {
	c.SetFlagErrorFunc(flagError)
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			if check(c, args) == nil {
				return nil
			}
			return usageError(c, args)
		}
	}
	for _, s := range c.Commands() {
		explainUsage(s)
	}
}

// usageError is about arguments that c does not take.
func usageError(c *cobra.Command, args []string) error {
	var verbs []string
	for _, s := range c.Commands() {
		if !s.Hidden {
			verbs = append(verbs, s.Name())
		}
	}
	switch {
	case !c.HasParent():
		return badInput(fmt.Errorf("simnet: unknown verb %q%s; simnet --help lists them", args[0], didYouMean(args[0], verbs)))
	case len(args) > 1 && len(verbs) > 0: // sweep stats DIR
		if n := scenarios.Nearest(args[0], verbs); n != "" {
			return badInput(fmt.Errorf("%s: unknown verb %q (did you mean %s?)", c.CommandPath(), args[0], n))
		}
	}
	what := "got nothing"
	if len(args) > 0 {
		what = "got " + strings.Join(args, " ")
	}
	return badInput(fmt.Errorf("%s: %s; usage: %s", c.CommandPath(), what, c.UseLine()))
}

// flagError is about a flag that c does not know, or its value.
func flagError(c *cobra.Command, err error) error {
	msg := err.Error()
	if name, ok := strings.CutPrefix(msg, "unknown flag: --"); ok {
		name, _, _ = strings.Cut(name, "=")
		var known []string
		c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
		msg += didYouMean("--"+name, known)
	}
	return badInput(fmt.Errorf("%s: %s", c.CommandPath(), msg))
}

// wantScenario refuses a study where one scenario is wanted, and says what there
// is for either.
func wantScenario(file string) error {
	if !scenarios.IsStudy(file) {
		return nil
	}
	base := ""
	if b := scenarios.StudyBase(file); b != "" {
		base = ", or its scenario " + b
	}
	return badInput(fmt.Errorf("%s is a study of several runs (did you mean simnet sweep %s%s?)", file, file, base))
}

// wantStudy refuses a scenario where a study is wanted.
func wantStudy(file string) error {
	if !scenarios.IsScenario(file) {
		return nil
	}
	return badInput(fmt.Errorf("%s is one scenario, not a study of several runs (did you mean simnet run %s?)", file, file))
}
