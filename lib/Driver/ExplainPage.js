// ===- ExplainPage.js - Gives the formulas of an explanation their values -===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ===----------------------------------------------------------------------===//

"use strict";

(() => {
  const find = (selector, root = document) => [...root.querySelectorAll(selector)];
  const parse = (text) => (text ? JSON.parse(text) : 0);

  // Sizes: those of the fields, and those that follow from others.
  const fields = new Map(find("input[data-size]").map((field) => [field.dataset.size, field]));
  const definitions = new Map(
    find("tr[data-size]").map((row) => [row.dataset.size, parse(row.dataset.tree)]),
  );

  const operators = {
    add: (a, b) => a + b,
    mul: (a, b) => a * b,
    floordiv: (a, b) => Math.floor(a / b),
    ceildiv: (a, b) => Math.ceil(a / b),
    mod: (a, b) => a - b * Math.floor(a / b),
    min: Math.min,
    max: Math.max,
    broadcast: (a, b) => (a === 1 ? b : a),
  };

  function evaluate(tree) {
    if (typeof tree === "number") return tree;
    if (typeof tree === "string") {
      if (definitions.has(tree)) return evaluate(definitions.get(tree));
      return fields.has(tree) ? Number(fields.get(tree).value) : NaN;
    }
    return tree
      .slice(1)
      .map(evaluate)
      .reduce((a, b) => operators[tree[0]](a, b));
  }

  function scale(number, steps, base) {
    let step = 0;
    while (Math.abs(number) >= base && step < steps.length - 1) {
      number /= base;
      ++step;
    }
    return `${number >= 100 || step === 0 ? Math.round(number) : number.toPrecision(3)} ${steps[step]}`;
  }

  const units = {
    F: (n) => scale(n, ["F", "kF", "MF", "GF", "TF"], 1000),
    B: (n) => scale(n, ["B", "kB", "MB", "GB", "TB"], 1000),
    s: (n) => scale(1e9 * n, ["ns", "µs", "ms", "s"], 1000),
    "": (n) => String(n),
  };
  const percent = (n) => `${(100 * n).toFixed(n < 0.1 ? 1 : 0)} %`;

  // Launches and what the roofline says of them.
  function cost(row, machine) {
    const flops = evaluate(row.flops);
    const bytes = evaluate(row.bytes);
    const compute = flops / machine.peak;
    const memory = bytes / machine.copy;
    return { flops, bytes, time: Math.max(compute, memory), waits: memory > compute };
  }

  const kernels = find("article.kernel");
  const entries = find("section.entry").map((section) => ({
    section,
    strip: find(".strip a", section),
    rows: find("tr.launch", section).map((element) => ({
      element,
      kernel: Number(element.dataset.kernel),
      flops: parse(element.dataset.flops),
      bytes: parse(element.dataset.bytes),
    })),
  }));

  function paint(bar, fraction, waits) {
    bar.style.width = `${100 * fraction}%`;
    bar.classList.toggle("waits", waits);
  }

  // The longest kernels first; what is below half a percent is summed up.
  function drawShares(list, shares, total) {
    list.replaceChildren();
    const long = shares.filter((share) => share.time >= 0.005 * total);
    const rest = shares.filter((share) => share.time < 0.005 * total);
    long.sort((a, b) => b.time - a.time);
    for (const share of long) {
      const { name, kind } = kernels[share.kernel].dataset;
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = `#kernel-${share.kernel}`;
      link.textContent = share.count > 1 ? `${share.count} × ${name}` : name;
      const track = document.createElement("span");
      const bar = document.createElement("i");
      bar.className = `bar ${kind}`;
      paint(bar, share.time / long[0].time, share.waits);
      track.append(bar);
      const label = document.createElement("output");
      label.textContent = `${percent(share.time / total)}, ${units.s(share.time)}`;
      item.append(link, track, label);
      list.append(item);
    }
    if (rest.length) {
      const item = document.createElement("li");
      item.textContent = `${rest.length} more: ${percent(
        rest.reduce((sum, share) => sum + share.time, 0) / total,
      )}`;
      list.append(item);
    }
  }

  function update() {
    const machine = {
      peak: 1e9 * Number(document.getElementById("peak").value),
      copy: 1e9 * Number(document.getElementById("copy").value),
    };
    for (const { section, rows, strip } of entries) {
      const costs = rows.map((row) => cost(row, machine));
      const total = costs.reduce((sum, c) => sum + c.time, 0);
      const most = Math.max(...costs.map((c) => c.time));
      const shares = new Map();
      rows.forEach(({ element, kernel }, i) => {
        const { flops, bytes, time, waits } = costs[i];
        find(".flops", element)[0].textContent = units.F(flops);
        find(".bytes", element)[0].textContent = units.B(bytes);
        const intensity = flops / bytes;
        find(".intensity", element)[0].textContent =
          intensity >= 10 ? Math.round(intensity) : intensity.toFixed(1);
        paint(find(".bar", element)[0], time / most, waits);
        find(".share", element)[0].title = `${percent(time / total)}, ${units.s(time)}`;
        strip[i].style.flexGrow = time / total;
        strip[i].classList.toggle("waits", waits);
        const share = shares.get(kernel) ?? { kernel, time: 0, count: 0, waits };
        share.time += time;
        share.count += 1;
        shares.set(kernel, share);
      });
      drawShares(find(".shares", section)[0], [...shares.values()], total);
      find("[data-unit=s] .value", section)[0].textContent = units.s(total);
    }
    for (const element of find("[data-tree]"))
      find(".value", element)[0].textContent = units[element.dataset.unit ?? ""](
        evaluate(parse(element.dataset.tree)),
      );
  }

  for (const cell of find("[data-amount]"))
    cell.textContent = cell.dataset.amount === "0" ? "" : units.B(Number(cell.dataset.amount));
  document.getElementById("controls").addEventListener("input", update);
  update();
})();
