"use strict";
// Draws the interactive charts of a run from the data that the page carries.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const colours = ["#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#202020", "#BBAA00"];
  const $ = id => document.getElementById(id);
  const charts = [];

  const digits = v => {
    const a = Math.abs(v);
    return a >= 100 || Math.abs(a - Math.round(a)) <= 1e-9 * a ? Math.round(v).toLocaleString("en") : v.toPrecision(3);
  };
  const scaled = (v, units) => {
    for (const [f, u] of units) if (Math.abs(v) >= f * 0.9995) return digits(v / f) + " " + u;
    return digits(v / units[units.length - 1][0]) + " " + units[units.length - 1][1];
  };
  const print = {
    bytes: v => v === 0 ? "0" : scaled(v, [[1e9, "GB"], [1e6, "MB"], [1e3, "KB"], [1, "B"]]),
    rate: v => v === 0 ? "0" : scaled(v, [[1e12, "Tbit/s"], [1e9, "Gbit/s"], [1e6, "Mbit/s"], [1e3, "kbit/s"], [1, "bit/s"]]),
    count: v => digits(v),
    time: v => v === 0 ? "0" : scaled(v, [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]]),
    fraction: v => String(+v.toFixed(3)),
    ratio: v => v.toFixed(3),
  };
  // Ticks need as many decimals as tell them apart, in one unit for the axis.
  const axisTime = (u, splits) => {
    const top = Math.max(...splits.map(Math.abs), 1e-12), step = splits.length > 1 ? splits[1] - splits[0] : top;
    const [f, name] = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]].find(([f]) => top >= f * 0.999) || [1e-9, "ns"];
    const d = Math.max(0, Math.min(9, -Math.floor(Math.log10(step / f) + 1e-9)));
    return splits.map(v => (v / f).toFixed(d) + " " + name);
  };

  // bands shades the spans of CNP storms in charts over time.
  const bands = { hooks: { drawClear: [u => {
    const c = u.ctx;
    c.save();
    c.fillStyle = "rgba(213,94,0,0.10)";
    for (const s of data.storms || []) {
      const a = Math.max(u.valToPos(s.from, "x", true), u.bbox.left), b = Math.min(u.valToPos(s.to, "x", true), u.bbox.left + u.bbox.width);
      if (b > a) c.fillRect(a, u.bbox.top, b - a, u.bbox.height);
    }
    c.restore();
  }] } };

  const chart = (id, o) => {
    const el = $(id);
    if (!el) return;
    const opts = {
      width: el.clientWidth, height: o.height || 320,
      scales: { x: { time: false, distr: o.logX ? 3 : 1 }, y: { range: (u, lo, hi) => [0, o.top || (hi > 0 ? hi * 1.06 : 1)] } },
      cursor: { drag: { x: true, y: false }, sync: o.sync ? { key: o.sync } : undefined },
      legend: { live: true },
      plugins: o.time ? [bands] : [],
      axes: [
        { label: o.xlabel, labelSize: 24, size: 42, grid: { stroke: "#eee" }, values: o.time ? axisTime : (u, s) => s.map(v => v == null ? "" : String(+v.toPrecision(6))) },
        { label: o.ylabel, labelSize: 26, size: 86, grid: { stroke: "#eee" }, values: (u, s) => s.map(v => o.y(v)) },
      ],
      series: [{ label: o.xname, value: (u, v) => v == null ? "-" : (o.time ? print.time(v) : print.ratio(v)) }].concat(o.series.map((s, i) => ({
        label: s.name, stroke: s.colour || colours[i % colours.length], width: s.dash ? 1.5 : 2, dash: s.dash, spanGaps: true,
        points: { show: false }, paths: o.step && !s.dash ? uPlot.paths.stepped({ align: 1 }) : undefined,
        value: (u, v) => v == null ? "-" : o.y(v),
      }))),
    };
    const joined = o.series.length === 1 ? o.series[0].xy : uPlot.join(o.series.map(s => s.xy));
    const u = new uPlot(opts, joined, el);
    if (o.focus) u.setScale("x", { min: o.focus[0], max: o.focus[1] });
    charts.push([el, u]);
  };

  const ramp = (start, bin, n) => Array.from({ length: n }, (_, i) => start + i * bin);

  if (data.queues) {
    const series = data.queues.map(q => ({ name: q.port, xy: [ramp(q.start, q.bin, q.max.length), q.max] }));
    const first = data.queues[0], begin = Math.min(...data.queues.map(q => q.start));
    const end = Math.max(...data.queues.map(q => q.start + q.bin * q.max.length));
    const peak = Math.max(...data.queues.flatMap(q => q.max));
    for (const [name, v] of [["Kmin", first.kmin], ["Kmax", first.kmax], ["XOFF", first.xoff]])
      if (v > 0 && v <= 3 * peak) series.push({ name, xy: [[begin, end], [v, v]], dash: name === "XOFF" ? [8, 5] : [3, 4], colour: "#777" });
    chart("queues", { series, y: print.bytes, ylabel: "largest egress queue", xname: "time", xlabel: "simulated time", time: true, step: true, sync: "t", height: 380, focus: data.focus });
  }
  if (data.bins) {
    const b = data.bins, x = ramp(b.start, b.bin, b.delivered.length), per = print.time(b.bin);
    const common = { xname: "time", time: true, step: true, sync: "t", height: 220 };
    if ((b.cnps || []).length) chart("cnps", { ...common, series: [{ name: "CNPs", xy: [x, b.cnps] }, { name: "ECN marks", xy: [x, b.ecn], colour: "#56B4E9" }], y: print.count, ylabel: "per " + per });
    if ((b.pauses || []).some(v => v > 0)) chart("pauses", { ...common, series: [{ name: "PFC pauses", xy: [x, b.pauses], colour: "#D55E00" }], y: print.count, ylabel: "per " + per });
    chart("goodput", { ...common, series: [{ name: "goodput", xy: [x, b.delivered.map(v => v * 8 / b.bin)], colour: "#009E73" }], y: print.rate, ylabel: "payload", xlabel: "simulated time" });
  }
  if (data.rates)
    chart("rates", { series: data.rates.map(r => ({ name: r.name, xy: [r.at, r.rate] })), y: print.rate, ylabel: "sending rate", xname: "time", xlabel: "simulated time", time: true, step: true, sync: "t" });
  if (data.cdf) {
    const worst = Math.max(...data.cdf.map(c => c.x[c.x.length - 1]));
    chart("cdf", { series: data.cdf.map(c => ({ name: c.name, xy: [c.x, c.y] })), y: print.fraction, ylabel: "fraction of flows", xname: "slowdown", xlabel: "flow completion time over ideal", top: 1, step: true, logX: worst > 8, height: 360 });
  }
  addEventListener("resize", () => { for (const [el, u] of charts) u.setSize({ width: el.clientWidth, height: u.height }); });

  // The timeline: wheel zooms, dragging moves, a double click shows all again.
  const tl = data.timeline, canvas = $("timeline");
  if (tl && canvas) {
    const rowH = Math.max(14, Math.min(34, 420 / tl.rows.length)), gutter = 80, axis = 26;
    let a = 0, b = tl.length;
    const tip = $("tip"), ctx = canvas.getContext("2d");
    const draw = () => {
      const w = canvas.clientWidth, h = rowH * tl.rows.length + axis, r = devicePixelRatio || 1;
      canvas.style.height = h + "px"; canvas.width = w * r; canvas.height = h * r;
      ctx.setTransform(r, 0, 0, r, 0, 0);
      ctx.clearRect(0, 0, w, h);
      ctx.font = "13px system-ui, Arial, sans-serif"; ctx.textBaseline = "middle";
      const x = t => gutter + (t - a) / (b - a) * (w - gutter);
      tl.rows.forEach((row, i) => {
        ctx.fillStyle = "#202020"; ctx.textAlign = "right";
        if (rowH >= 14 || i % 2 === 0) ctx.fillText("stage " + row.stage, gutter - 8, i * rowH + rowH / 2);
        for (let k = 0; k < row.from.length; k++) {
          const x0 = Math.max(x(row.from[k]), gutter), x1 = Math.min(x(row.to[k]), w);
          if (x1 <= x0) continue;
          ctx.fillStyle = tl.kinds[row.kind[k]].colour;
          ctx.fillRect(x0, i * rowH + 2, Math.max(x1 - x0 - (x1 - x0 > 4 ? 0.7 : 0), 0.4), rowH - 4);
        }
      });
      ctx.fillStyle = "#202020"; ctx.textAlign = "center";
      const raw = (b - a) / 8, p = Math.pow(10, Math.floor(Math.log10(raw)));
      const step = [1, 2, 5, 10].map(m => m * p).find(s => s >= raw), ticks = [];
      for (let t = Math.ceil(a / step) * step; t <= b; t += step) ticks.push(t);
      axisTime(null, ticks).forEach((s, i) => ctx.fillText(s, Math.min(Math.max(x(ticks[i]), gutter + 20), w - 24), h - axis / 2));
    };
    const at = e => { const r = canvas.getBoundingClientRect(); return [a + (e.clientX - r.left - gutter) / (r.width - gutter) * (b - a), Math.floor((e.clientY - r.top) / rowH)]; };
    let grab = null;
    canvas.addEventListener("wheel", e => {
      e.preventDefault();
      const t = at(e)[0], f = Math.exp(e.deltaY * 0.0015);
      const na = t - (t - a) * f, nb = t + (b - t) * f;
      if (nb - na > 1e-9) { a = Math.max(0, na); b = Math.min(tl.length, nb); draw(); }
    }, { passive: false });
    canvas.addEventListener("mousedown", e => { grab = [e.clientX, a, b]; });
    addEventListener("mouseup", () => { grab = null; });
    canvas.addEventListener("dblclick", () => { a = 0; b = tl.length; draw(); });
    canvas.addEventListener("mouseleave", () => { tip.style.display = "none"; });
    canvas.addEventListener("mousemove", e => {
      if (grab) {
        const d = (grab[0] - e.clientX) / (canvas.clientWidth - gutter) * (grab[2] - grab[1]);
        const s = Math.max(-grab[1], Math.min(d, tl.length - grab[2]));
        a = grab[1] + s; b = grab[2] + s; draw();
      }
      const [t, i] = at(e), row = tl.rows[i];
      const k = row ? row.from.findIndex((f, k) => f <= t && t < row.to[k]) : -1;
      tip.style.display = k < 0 ? "none" : "block";
      if (k >= 0) {
        const micro = row.micro ? row.micro[k] : -1;
        tip.textContent = "stage " + row.stage + ": " + tl.kinds[row.kind[k]].name + (micro >= 0 ? ", micro-batch " + micro : "") + ", " + print.time(row.to[k] - row.from[k]) + " from " + print.time(row.from[k]);
        tip.style.left = Math.min(e.clientX + 14, innerWidth - 320) + "px"; tip.style.top = e.clientY + 14 + "px";
      }
    });
    addEventListener("resize", draw);
    draw();
  }
})();
