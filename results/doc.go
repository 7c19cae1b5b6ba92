// Package results turns what a run measured into what people read: the run
// directory, the summary and its table, findings, plots, the HTML report,
// comparisons and scaling curves.
//
// Terms: a run directory is what `simnet run -o DIR` writes, and summary.json
// in it holds only what follows from scenario and seed; FCT is a flow's
// completion time and its slowdown FCT over the time of the same flow alone; a
// finding is one sentence that says where time goes and which knob moves it.
//
// Everything but summary.json's making works from a directory alone: Read loads
// it, Plot, Report and Compare use what Read gives. results may import sim,
// fabric, workload and scenarios; floating-point seconds begin here.
package results
