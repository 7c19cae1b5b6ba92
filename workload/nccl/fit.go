package nccl

import (
	"errors"
	"math"
)

// Sample is one measured call on the cluster of a model.
type Sample struct {
	Model  *Model
	Op     Collective
	Bytes  int64
	TimeUS float64
	Weight float64 // 0 counts as 1
	choice Choice
}

// FitResult is what Fit found.
type FitResult struct {
	Cal    Calibration
	Keys   []Key   // fitted
	MAPE   float64 // weighted mean |predicted/measured - 1| after the fit
	Before float64 // and before it
	Rows   int
}

// Fit moves the parameters keys of cal inside their ranges so that the
// weighted mean absolute log error of the samples is least, one parameter
// after the other by golden section until none improves. The mean absolute
// error is robust: one stray iteration in a log does not move a parameter. All
// samples' models get the fitted calibration. It is deterministic.
func Fit(cal Calibration, keys []Key, samples []Sample, source string) (FitResult, error) {
	if len(samples) == 0 {
		return FitResult{}, errors.New("nccl: no samples to calibrate on")
	}
	for i := range samples {
		s := &samples[i]
		if s.TimeUS <= 0 {
			return FitResult{}, errors.New("nccl: a sample has no time")
		}
		if s.Weight == 0 {
			s.Weight = 1
		}
		s.choice = s.Model.Choose(s.Op, max(1, s.Bytes))
	}
	res := FitResult{Keys: keys, Rows: len(samples)}
	_, res.Before = misfit(&cal, samples)
	best, _ := misfit(&cal, samples)
	for range 60 {
		before := best
		for _, k := range keys {
			best = fitOne(&cal, k, samples, best)
		}
		if before-best < 1e-6 {
			break
		}
	}
	for _, k := range keys {
		cal.P[k].Source, cal.P[k].Fitted = source, true
	}
	_, res.MAPE = misfit(&cal, samples)
	res.Cal = cal
	return res, nil
}

// misfit installs cal in the samples' models and returns the weighted mean of
// |log(predicted/measured)| and of |predicted/measured - 1|.
func misfit(cal *Calibration, samples []Sample) (log, rel float64) {
	var w float64
	for i := range samples {
		s := &samples[i]
		s.Model.Cal = *cal
		p := s.Model.TimeOf(s.Op, s.Bytes, s.choice).Seconds() * 1e6
		r := p / s.TimeUS
		log += s.Weight * math.Abs(math.Log(math.Max(r, 1e-6)))
		rel += s.Weight * math.Abs(r-1)
		w += s.Weight
	}
	return log / w, rel / w
}

// fitOne improves one parameter: a coarse scan of its range, since the error
// need not have one minimum, then golden section around the best.
func fitOne(cal *Calibration, k Key, samples []Sample, best float64) float64 {
	p := &cal.P[k]
	keep := p.Value
	at := func(v float64) float64 {
		p.Value = v
		e, _ := misfit(cal, samples)
		return e
	}
	const n = 24
	x, fx := keep, best
	for i := range n + 1 {
		v := p.Min + (p.Max-p.Min)*float64(i)/n
		if e := at(v); e < fx {
			x, fx = v, e
		}
	}
	h := (p.Max - p.Min) / n
	lo, hi := math.Max(p.Min, x-h), math.Min(p.Max, x+h)
	const phi = 0.6180339887498949
	a, b := hi-phi*(hi-lo), lo+phi*(hi-lo)
	fa, fb := at(a), at(b)
	for hi-lo > 1e-4*(p.Max-p.Min) {
		if fa < fb {
			hi, b, fb = b, a, fa
			a = hi - phi*(hi-lo)
			fa = at(a)
		} else {
			lo, a, fa = a, b, fb
			b = lo + phi*(hi-lo)
			fb = at(b)
		}
	}
	if m := (lo + hi) / 2; at(m) < fx {
		x, fx = m, at(m)
	}
	if fx >= best {
		x, fx = keep, best
	}
	p.Value = x
	return fx
}

// KeysFor returns the parameters that a set of samples can tell: those of the
// algorithms that the tuner picks for them, of the protocols, and of small and
// large sizes.
func KeysFor(samples []Sample) []Key {
	var on [numParams]bool
	for _, s := range samples {
		ch := s.Model.Choose(s.Op, max(1, s.Bytes))
		large := s.Bytes >= 16<<20
		multi := s.Model.shape.Nodes > 1
		on[LaunchUS] = on[LaunchUS] || s.Bytes <= 64<<10
		on[StepScale] = on[StepScale] || (ch.Proto == LL && ch.Algo != P2P && s.Bytes <= 1<<20)
		switch {
		case ch.Algo == P2P:
			on[P2PEff] = on[P2PEff] || (large && !multi)
			on[P2PFillUS] = on[P2PFillUS] || (ch.Proto == Simple && !multi)
			on[NICStreams] = on[NICStreams] || (large && multi)
			on[PeerUS] = on[PeerUS] || (s.Op == AllToAll && s.Bytes <= 64<<10)
		case ch.Algo == NVLS:
			on[NVLSEff], on[NVLSFill] = on[NVLSEff] || large, true
		case ch.Algo == NVLSTree:
			on[NVLSTreeEff], on[NVLSTreeFill] = on[NVLSTreeEff] || large, true
		case ch.Algo == Tree:
			on[TreeLL128] = on[TreeLL128] || (ch.Proto == LL128 && large)
			if ch.Proto == Simple && large {
				on[TreeRatio], on[TreeFill] = true, true
			}
		case ch.Algo == Ring && large && ch.Proto == Simple:
			on[RingFillUS] = true
			switch {
			case s.Model.shape.Link == HostMemory:
				on[HostShare] = true
			case multi:
				on[ChannelGBs] = true
			default:
				on[RingEff] = true
			}
		}
	}
	var keys []Key
	for k := range numParams {
		if on[k] {
			keys = append(keys, k)
		}
	}
	return keys
}
