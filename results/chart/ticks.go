package chart

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// niceTicks places four to eight ticks at multiples of 1, 2, 2.5 or 5 times a
// power of ten, labelled with no more decimals than they need.
func niceTicks(lo, hi float64) []plot.Tick {
	if !(hi > lo) || math.IsInf(hi-lo, 0) {
		return []plot.Tick{{Value: lo, Label: number(lo)}}
	}
	pow := math.Pow10(int(math.Floor(math.Log10((hi - lo) / 4))))
	step := pow
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		if step = m * pow; (hi-lo)/step <= 7 {
			break
		}
	}
	decimals := 0
	for s := step; decimals < 12 && math.Abs(s-math.Round(s)) > 1e-9*math.Max(1, s); s *= 10 {
		decimals++
	}
	var t []plot.Tick
	for k := math.Ceil(lo/step - 1e-9); k*step <= hi+step*1e-9; k++ {
		t = append(t, plot.Tick{Value: k * step, Label: thousands(strconv.FormatFloat(k*step+0, 'f', decimals, 64))})
	}
	return t
}

// logTicks labels 1, 2 and 5 of each decade where there are few decades, else
// the decades alone.
func logTicks(lo, hi float64) []plot.Tick {
	if lo <= 0 {
		panic("chart: logarithmic axis at or below zero")
	}
	var t []plot.Tick
	decades := math.Log10(hi / lo)
	for e := math.Floor(math.Log10(lo)); e <= math.Ceil(math.Log10(hi)); e++ {
		for m := 1.0; m < 10; m++ {
			v := m * math.Pow(10, e)
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) {
				continue
			}
			k := plot.Tick{Value: v}
			if m == 1 || decades <= 3 && (m == 2 || m == 5) || decades < 0.8 {
				k.Label = number(v)
			}
			t = append(t, k)
		}
	}
	return t
}

// Ticks returns a ticker that marks the given values alone, for axes whose
// points are few and known (numbers of GPUs).
func Ticks(values []float64) plot.Ticker {
	t := make([]plot.Tick, len(values))
	for i, v := range values {
		t[i] = plot.Tick{Value: v, Label: number(v)}
	}
	return plot.TickerFunc(func(lo, hi float64) []plot.Tick {
		var in []plot.Tick
		for _, k := range t {
			if k.Value >= lo*(1-1e-12) && k.Value <= hi*(1+1e-12) {
				in = append(in, k)
			}
		}
		return in
	})
}

// number prints v shortly, thousands separated.
func number(v float64) string {
	if math.Abs(v) >= 1e6 || v != 0 && math.Abs(v) < 1e-4 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return thousands(strconv.FormatFloat(math.Round(v*1e6)/1e6, 'f', -1, 64))
}

// thousands separates the digits before the point in threes, from 10,000 on.
func thousands(s string) string {
	end := len(s)
	for i, r := range s {
		if r == '.' {
			end = i
			break
		}
	}
	start := 0
	if s != "" && s[0] == '-' {
		start = 1
	}
	if end-start < 5 {
		return s
	}
	for i := end - 3; i > start; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Unit is the scale of an axis: values times Factor are in Name.
type Unit struct {
	Factor float64
	Name   string
}

func pick(top float64, units []Unit) Unit {
	u := units[0]
	for _, v := range units[1:] {
		if math.Abs(top)*v.Factor < 1 {
			break
		}
		u = v
	}
	return u
}

// Seconds returns the unit for times up to top seconds.
func Seconds(top float64) Unit {
	return pick(top, []Unit{{1e9, "ns"}, {1e6, "µs"}, {1e3, "ms"}, {1, "s"}})
}

// Bytes returns the unit for sizes up to top bytes.
func Bytes(top float64) Unit {
	return pick(top, []Unit{{1, "B"}, {1e-3, "KB"}, {1e-6, "MB"}, {1e-9, "GB"}, {1e-12, "TB"}})
}

// BitRate returns the unit for rates up to top bit/s.
func BitRate(top float64) Unit {
	return pick(top, []Unit{{1, "bit/s"}, {1e-3, "kbit/s"}, {1e-6, "Mbit/s"}, {1e-9, "Gbit/s"}, {1e-12, "Tbit/s"}})
}

// Count returns the unit for counts up to top: "", thousand, million.
func Count(top float64) Unit {
	return pick(top, []Unit{{1, ""}, {1e-3, "thousand"}, {1e-6, "million"}, {1e-9, "billion"}})
}
