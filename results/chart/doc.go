// Package chart is the common style of simnet's figures: 1600x900 pixels, fit
// for a slide, as PNG and SVG with the same bytes for the same data.
//
// Terms: a figure has a title that says what it shows, a line of context, a
// legend above the data, one or more panels, and a footer that names the run;
// a panel is one pair of axes. Colours are Okabe and Ito's, which the
// colour-blind can tell apart.
//
// chart knows numbers and names alone; it imports nothing of ours.
package chart
