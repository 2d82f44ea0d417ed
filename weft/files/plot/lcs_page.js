// The pieces as columns; each is [aBegin, aEnd) x [bBegin, bEnd), and its matches.
const count = data.pieces.length / 5;
const [aBegin, aEnd, bBegin, bEnd, matches] = Array.from({ length: 5 }, () => new Float64Array(count));
for (let i = 0, a = 0, b = 0; i < count; ++i) {
  const [aGap, aLength, bGap, bLength, found] = data.pieces.slice(5 * i, 5 * i + 5);
  aBegin[i] = a + aGap;
  a = aEnd[i] = aBegin[i] + aLength;
  bBegin[i] = b + bGap;
  b = bEnd[i] = bBegin[i] + bLength;
  matches[i] = found;
}
// A piece that is all matches is the path itself, and may be long; any other lies in one cell, where only its bounds and
// the number of its matches are known.
const exact = i => matches[i] === aEnd[i] - aBegin[i] && matches[i] === bEnd[i] - bBegin[i];
// Matches of both strands, as columns: from line*A[i] to line*AEnd[i] along A; on the reverse strand B runs backwards.
const lineCount = data.lines.length / 5;
const [lineA, lineAEnd, lineB, lineBEnd, lineReverse] = Array.from({ length: 5 }, () => new Float64Array(lineCount));
for (let i = 0; i < lineCount; ++i) {
  const [a, aLength, b, bLength, reverse] = data.lines.slice(5 * i, 5 * i + 5);
  [lineA[i], lineAEnd[i], lineB[i], lineBEnd[i], lineReverse[i]] = [a, a + aLength, b, b + bLength, reverse];
}
const colours = { match: "#1f5fb4", gap: "#808080", strands: ["#56b4e9", "#d55e00"] };
const widths = { match: 2, gap: 1, strands: [4, 4] };
function firstAfter(x) { // the first piece that ends after position x of A
  let low = 0, high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (aEnd[middle] > x) high = middle; else low = middle + 1;
  }
  return low;
}

// Links: #x=100-200 shows positions 100 to 200 of A, counted from 1, and what the path meets there;
// #x=100-200&y=90-190 says B as well.
function pathWithin(x0, x1) { // positions of B that the path meets
  const first = firstAfter(x0);
  let low = first > 0 ? bEnd[first - 1] : 0, high = low;
  for (let i = first; i < count && aBegin[i] < x1; ++i) {
    if (i === first) low = bBegin[i] + Math.min(Math.max(0, x0 - aBegin[i]), bEnd[i] - bBegin[i]);
    high = Math.max(low, bEnd[i] - Math.min(Math.max(0, aEnd[i] - x1), bEnd[i] - bBegin[i]));
  }
  const room = Math.max(0.05 * (high - low), (x1 - x0) * n / m - (high - low), 10) / 2;
  return [low - room, high + room];
}
function openLink() {
  const x = rangeIn(location.hash, "x"), y = rangeIn(location.hash, "y");
  if (!x && !y) return whole();
  show(...(x || [0, m]), ...(y || pathWithin(...x)));
}
const left = 84, right = 26, top = 8, axis = 30, trackHeight = 90, bottom = 26, below = axis + trackHeight + bottom;
function drawStrands() {
  for (const strand of [0, 1]) {
    pen.strokeStyle = colours.strands[strand];
    pen.lineWidth = widths.strands[strand];
    pen.lineCap = "square";
    pen.beginPath();
    for (let i = 0; i < lineCount; ++i) {
      if (lineReverse[i] !== strand || lineAEnd[i] <= view.x0 || lineA[i] >= view.x1 || lineBEnd[i] <= view.y0 || lineB[i] >= view.y1) continue;
      pen.moveTo(toX(lineA[i]), toY(strand ? lineBEnd[i] : lineB[i]));
      pen.lineTo(toX(lineAEnd[i]), toY(strand ? lineB[i] : lineBEnd[i]));
    }
    pen.stroke();
  }
  pen.lineCap = "butt";
}
// Pieces are lines from their first match to their last; gaps are steps along A, then along B.
function drawPath() {
  const first = firstAfter(view.x0);
  let last = first;
  while (last < count && aBegin[last] < view.x1) ++last;
  if (coarse()) {
    pen.fillStyle = "#d3e2f3";
    for (let i = first; i < last; ++i)
      if (!exact(i)) pen.fillRect(toX(aBegin[i]), toY(bEnd[i]), toX(aEnd[i]) - toX(aBegin[i]), toY(bBegin[i]) - toY(bEnd[i]));
  }
  pen.strokeStyle = colours.gap;
  pen.lineWidth = widths.gap;
  pen.beginPath();
  for (let i = first; i <= last; ++i) { // the gap before piece i
    const a = i > 0 ? aEnd[i - 1] : 0, b = i > 0 ? bEnd[i - 1] : 0;
    const nextA = i < count ? aBegin[i] : data.m, nextB = i < count ? bBegin[i] : data.n;
    if (nextA === a && nextB === b) continue;
    pen.moveTo(toX(a), toY(b));
    pen.lineTo(toX(nextA), toY(b));
    pen.lineTo(toX(nextA), toY(nextB));
  }
  pen.stroke();
  pen.strokeStyle = colours.match;
  pen.lineWidth = widths.match;
  pen.lineCap = "square";
  pen.beginPath();
  for (let i = first; i < last; ++i) {
    pen.moveTo(toX(aBegin[i]), toY(bBegin[i]));
    pen.lineTo(toX(aEnd[i]), toY(bEnd[i]));
  }
  pen.stroke();
  pen.lineCap = "butt";
}

// Windows of whole cells, at least 20 symbols, about five pixels or more; the last may be shorter.
function windowSize() {
  const least = Math.max(20, (view.x1 - view.x0) * 5 / Math.max(1, plotWidth()));
  return Math.ceil(least / data.aCell) * data.aCell;
}
function identityIn(begin, end) {
  let sum = 0;
  for (let i = firstAfter(begin); i < count && aBegin[i] < end; ++i)
    sum += exact(i) ? Math.min(aEnd[i], end) - Math.max(aBegin[i], begin) : matches[i];
  return sum / (end - begin);
}
function drawTrack(trackTop) {
  const size = windowSize(), floor = trackTop + trackHeight;
  pen.fillStyle = "#8fb8e0";
  for (let begin = Math.floor(view.x0 / size) * size; begin < Math.min(view.x1, data.m); begin += size) {
    const end = Math.min(begin + size, data.m), part = identityIn(begin, end) * trackHeight;
    const from = Math.round(toX(begin)), to = Math.max(from + 1, Math.round(toX(end)));
    pen.fillRect(from, floor - part, to - from, part);
  }
  line("#e6e6e6", 1, [[left, floor - trackHeight / 2], [width - right, floor - trackHeight / 2]]);
}

// Whether a piece that is not exact is wide enough to be seen.
function coarse() {
  for (let i = firstAfter(view.x0); i < count && aBegin[i] < view.x1; ++i)
    if (!exact(i) && bEnd[i] > view.y0 && bBegin[i] < view.y1 &&
        Math.max(toX(aEnd[i]) - toX(aBegin[i]), toY(bBegin[i]) - toY(bEnd[i])) > 6) return true;
  return false;
}
// The rulers, and the track of identity below the path.
function drawOutside() {
  const trackTop = top + plotHeight() + axis;
  drawRulers(x => line("#e6e6e6", 1, [[x, trackTop], [x, trackTop + trackHeight]]));
  ["100 %", "50 %", "0 %"].forEach((text, i) => pen.fillText(text, left - 6, trackTop + trackHeight * i / 2 + 4));
  drawTitles("A: " + data.a, "B: " + data.b);
  within(left, trackTop, plotWidth(), trackHeight, () => drawTrack(trackTop));
  pen.strokeStyle = "#888";
  pen.lineWidth = 1;
  pen.strokeRect(left, trackTop, plotWidth(), trackHeight);
}
function drawInside() {
  drawStrands();
  drawPath();
}
function shownText() {
  element("note").textContent = coarse()
    ? "Zoomed beyond what this page holds: it keeps cells of " + grouped(data.aCell) + " x " + grouped(data.bCell) + " " + data.unit + "; in the shaded ones the path may run otherwise."
    : "";
  return "A " + rangeText(view.x0, view.x1, data.m) + ", B " + rangeText(view.y0, view.y1, data.n) +
    "; identity in windows of " + grouped(windowSize()) + " " + data.unit;
}
function tell(x, y) { // the positions under the pointer
  const a = pointedX(x), b = pointedY(y);
  if (a < 0 || a >= data.m || x < left || x > width - right) return element("pointer").textContent = "";
  const size = windowSize(), begin = Math.floor(a / size) * size, end = Math.min(begin + size, data.m);
  element("pointer").textContent = "At A " + grouped(a + 1) + (b >= 0 && b < data.n && y >= top && y <= top + plotHeight() ? ", B " + grouped(b + 1) : "") +
    ": identity " + (100 * identityIn(begin, end)).toFixed(1) + " %";
}

setTitle(data.a + " x " + data.b, "The path of a longest common subsequence");
for (const [key, value] of data.numbers.slice(2)) addNumber(key.replaceAll("_", " "), value);
explain("matches of the path", colours.match, widths.match);
explain("gaps of the path", colours.gap, widths.gap);
if (data.k > 0) {
  explain("forward strand, " + data.k + "-mers", colours.strands[0], widths.strands[0]);
  explain("reverse strand, " + data.k + "-mers", colours.strands[1], widths.strands[1]);
}
if (lineCount < data.linesFound) explain("the longest " + grouped(lineCount) + " lines of " + grouped(data.linesFound) + " on both strands");
openLink();
