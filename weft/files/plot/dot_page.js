// The records of both axes as [name, begin, length]: at most the 5,000 longest ones of each.
const axes = [data.x, data.y];
const recordAt = (axis, position) => axis.records.find(([, begin, length]) => position >= begin && position < begin + length);
// The segments as columns, the longest first. A code is twice the number of the group, and 1 more if the segment descends.
const count = data.segments.length / 5;
const [xBegin, xEnd, yBegin, yEnd, codes] = Array.from({ length: 5 }, () => new Float64Array(count));
for (let i = 0; i < count; ++i) {
  const at = 5 * i, segments = data.segments;
  xBegin[i] = segments[at];
  xEnd[i] = segments[at] + segments[at + 1];
  yBegin[i] = segments[at + 2];
  yEnd[i] = segments[at + 2] + segments[at + 3];
  codes[i] = segments[at + 4];
}
const hidden = new Set(); // groups that are switched off in the legend

// Links: #x=100-200&y=50-150 shows these positions of both axes, counted from 1 over all records; #x=100-200 alone shows what
// the longest segment of these positions meets, at the same scale.
function yWithin(x0, x1) {
  let longest = -1, length = 0;
  for (let i = 0; i < count; ++i) {
    const common = Math.min(xEnd[i], x1) - Math.max(xBegin[i], x0);
    if (common > length) [longest, length] = [i, common];
  }
  if (longest < 0) return [0, n];
  const middle = (Math.max(xBegin[longest], x0) + Math.min(xEnd[longest], x1)) / 2;
  const part = (middle - xBegin[longest]) / (xEnd[longest] - xBegin[longest]), size = yEnd[longest] - yBegin[longest];
  const y = yBegin[longest] + (codes[longest] & 1 ? 1 - part : part) * size;
  return [y - (x1 - x0) / 2, y + (x1 - x0) / 2];
}
function openLink() {
  const x = rangeIn(location.hash, "x"), y = rangeIn(location.hash, "y");
  if (!x && !y) return whole();
  show(...(x || [0, m]), ...(y || yWithin(...x)));
}

const left = 84, right = 34, top = 28, below = 56;
const lineWidth = 2.5;
// Returns a name as it fits into `space` pixels, or nothing if too few letters would be left.
function fitted(name, space) {
  if (pen.measureText(name).width <= space - 6) return name;
  const letters = Math.floor((space - 6) / 8) - 1;
  return letters < 5 ? "" : name.slice(0, Math.ceil(letters / 2)) + "…" + name.slice(name.length - Math.floor(letters / 2));
}
function drawOutside() {
  drawRulers();
  drawTitles(axes[0].title, axes[1].title);
  if (axes[0].numRecords > 1)
    for (const [name, begin, length] of axes[0].records) {
      const from = Math.max(left, toX(begin)), to = Math.min(width - right, toX(begin + length));
      if (to - from > 30) pen.fillText(fitted(name, to - from), (from + to) / 2, top - 9);
    }
  if (axes[1].numRecords > 1)
    for (const [name, begin, length] of axes[1].records) {
      const from = Math.max(top, toY(begin + length)), to = Math.min(top + plotHeight(), toY(begin));
      if (to - from > 30) upright(fitted(name, to - from), width - right + 18, (from + to) / 2);
    }
}
function drawBorders() {
  pen.strokeStyle = "#b4b4b4";
  pen.lineWidth = 1;
  pen.beginPath();
  for (const [begin, at] of axes[0].numRecords > 1 ? axes[0].records.flatMap(([, from, length]) => [[from, toX(from)], [from + length, toX(from + length)]]) : []) {
    if (begin < view.x0 || begin > view.x1) continue;
    pen.moveTo(at, top);
    pen.lineTo(at, top + plotHeight());
  }
  for (const [begin, at] of axes[1].numRecords > 1 ? axes[1].records.flatMap(([, from, length]) => [[from, toY(from)], [from + length, toY(from + length)]]) : []) {
    if (begin < view.y0 || begin > view.y1) continue;
    pen.moveTo(left, at);
    pen.lineTo(width - right, at);
  }
  pen.stroke();
}
// Segments shorter than a pixel are squares, drawn once for each pixel.
function drawInside() {
  drawBorders();
  const columns = Math.ceil(plotWidth()) + 1, rows = Math.ceil(plotHeight()) + 1;
  pen.lineWidth = lineWidth;
  pen.lineCap = "square";
  let shown = 0;
  data.groups.forEach(([, colour], group) => {
    if (hidden.has(group)) return;
    const dots = new Uint8Array(columns * rows);
    pen.strokeStyle = pen.fillStyle = colour;
    pen.beginPath();
    for (let i = 0; i < count; ++i) {
      if (codes[i] >> 1 !== group || xEnd[i] <= view.x0 || xBegin[i] >= view.x1 || yEnd[i] <= view.y0 || yBegin[i] >= view.y1) continue;
      ++shown;
      const x0 = toX(xBegin[i]), x1 = toX(xEnd[i]), y0 = toY(yBegin[i]), y1 = toY(yEnd[i]);
      if (x1 - x0 < 1.5 && y0 - y1 < 1.5) {
        const dot = Math.floor(y1 - top) * columns + Math.floor(x0 - left);
        if (dots[dot]) continue;
        dots[dot] = 1;
        pen.fillRect(x0 - lineWidth / 2, y1 - lineWidth / 2, lineWidth, lineWidth);
      } else {
        pen.moveTo(x0, codes[i] & 1 ? y1 : y0);
        pen.lineTo(x1, codes[i] & 1 ? y0 : y1);
      }
    }
    pen.stroke();
  });
  pen.lineCap = "butt";
  element("note").textContent = count < data.found
    ? "This page contains the longest " + grouped(count) + " of " + grouped(data.found) + " " + data.name + "; the shortest of them has " + grouped(xEnd[count - 1] - xBegin[count - 1]) + " b."
    : "";
  canvas.dataset.shown = shown;
}
// Returns a range with the names of the records at its ends, if the axis has several.
function axisText(axis, low, high) {
  const text = axis.name + " " + rangeText(low, high, axis.length);
  if (axis.numRecords <= 1) return text;
  const first = recordAt(axis, Math.floor(low + 1e-6)), last = recordAt(axis, Math.ceil(high - 1e-6) - 1);
  if (!first || !last) return text;
  return text + (first === last
    ? " (" + first[0] + " " + rangeText(low - first[1], high - first[1], first[2]) + ")"
    : " (" + first[0] + " to " + last[0] + ")");
}
function shownText() {
  return axisText(axes[0], view.x0, view.x1) + "; " + axisText(axes[1], view.y0, view.y1);
}
function tell(x, y) { // the positions under the pointer
  if (x < left || x > width - right || y < top || y > top + plotHeight()) return element("pointer").textContent = "";
  const positionText = (axis, position) => {
    const record = recordAt(axis, position);
    return record ? record[0] + " " + grouped(position - record[1] + 1) : axis.name + " " + grouped(position + 1);
  };
  element("pointer").textContent = "At " + positionText(axes[0], pointedX(x)) + ", " + positionText(axes[1], pointedY(y));
}

setTitle(data.title, "The dot plot of two genomes");
data.groups.forEach(([name, colour, found], group) => {
  const entry = explain(name + ": " + grouped(found), colour, 5), box = document.createElement("input");
  box.type = "checkbox";
  box.checked = true;
  box.setAttribute("aria-label", name);
  box.addEventListener("change", () => {
    if (box.checked) hidden.delete(group); else hidden.add(group);
    draw();
  });
  entry.prepend(box);
});
for (const note of data.notes) explain(note);
openLink();
