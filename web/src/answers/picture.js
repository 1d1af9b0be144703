// Pictures of sketches, as ccbfsql serve draws them: points spread over pixels, and their colours.

// spread adds the points of sketches to the pixels of a box, row by row from the north-west. The points of
// a square are divided among the pixels in proportion to the area that each covers.
export function spread(pixels, sketches, [west, south, east, north], width, height, keys) {
  const [dx, dy] = [(east - west) / width, (north - south) / height];
  for (const sketch of sketches) {
    const { res } = sketch.info();
    sketch.each([west - res, south - res, east + res, north + res], (x, y, side, count) => {
      const [left, bottom, w, h] = [(x * res - west) / dx, (y * res - south) / dy, (side * res) / dx, (side * res) / dy];
      const [i0, i1] = [Math.max(Math.floor(left), 0), Math.min(Math.ceil(left + w), width)];
      const j1 = Math.min(Math.ceil(bottom + h), height);
      for (let j = Math.max(Math.floor(bottom), 0); j < j1; j++) {
        const high = (Math.min(bottom + h, j + 1) - Math.max(bottom, j)) / h;
        const row = (height - 1 - j) * width;
        for (let i = i0; i < i1; i++) pixels[row + i] += (count * high * (Math.min(left + w, i + 1) - Math.max(left, i))) / w;
      }
    }, keys);
  }
}

// latitude returns the northern edge of row y of tiles at zoom z, in degrees.
export const latitude = (y, z) => (Math.atan(Math.sinh(Math.PI * (1 - (2 * y) / 2 ** z))) * 180) / Math.PI;

// mercator converts rows of equal height in degrees into the rows of a tile, which have equal height in the
// projection.
export function mercator(even, side, z, y, south, north) {
  const rows = even.length / side;
  const out = new Float64Array(side * side);
  const edge = (j) => {
    return Math.min(Math.max(((north - latitude(y + j / side, z)) * rows) / (north - south), 0), rows);
  };
  for (let j = 0; j < side; j++) {
    const [from, to] = [edge(j), edge(j + 1)];
    for (let i = Math.floor(from); i < rows && i < to; i++) {
      const share = Math.min(to, i + 1) - Math.max(from, i);
      for (let c = 0; c < side; c++) out[j * side + c] += even[i * side + c] * share;
    }
  }
  return out;
}

const colours = 64;
const faintSteps = 16;
const normal = 2 ** -1022;

const laws = {
  log: (share, low, top) => low * Math.expm1(share * Math.log1p(top / low)),
  linear: (share, low, top) => share * top,
};

// leastOf returns the smallest value of each colour.
function leastOf({ scale = "log", low, top, steps }) {
  const least = Array.from({ length: colours }, (_, i) => {
    if (!steps) return laws[scale](i / colours, low, top);
    const at = (i / colours) * (steps.length - 1);
    const n = Math.min(Math.floor(at), steps.length - 2);
    return steps[n] + (steps[n + 1] - steps[n]) * (at - n);
  });
  least[0] = Math.max(top * 1e-9, normal);
  return least;
}

// stepsOf returns the smallest values of n of the colours, and the largest value.
export function stepsOf(n, options, values) {
  const least = options.scale === "equal" ? equalized(values) : leastOf(options);
  const top = options.scale === "equal" ? values.reduce((a, b) => Math.max(a, b), 0) : options.top;
  return [...Array.from({ length: n }, (_, i) => least[Math.floor((i * colours) / n)]), top];
}

// equalized returns the smallest value of each colour, so that all colours have the same number of values.
function equalized(values) {
  const top = values.reduce((a, b) => Math.max(a, b), 0);
  const faintest = Math.max(top * 1e-9, normal);
  const sorted = values.filter((v) => v >= faintest).sort();
  const first = (holds) => {
    let [from, to] = [0, sorted.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (holds(sorted[middle])) to = middle;
      else from = middle + 1;
    }
    return from;
  };
  const below = first((v) => v >= top);
  return Array.from({ length: colours }, (_, i) => {
    if (i === 0) return faintest;
    const at = Math.floor((i * below + colours - 1) / colours);
    if (at >= sorted.length) return top;
    if (at > 0 && sorted[at - 1] === sorted[at]) return sorted[Math.min(first((v) => v > sorted[at]), sorted.length - 1)];
    return sorted[at];
  });
}

const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

// drawn returns the picture of values. Less than one point has the colour of one point, but fainter. Values
// below 0 have the colours of the palette less, if it is given.
export function drawn(values, side, options, palette, less) {
  const { top } = options;
  const one = Math.min(options.one ?? 0, top);
  const least = leastOf(options);
  const inks = palette.map(rgb);
  const below = less?.map(rgb);
  const colour = (v) => {
    let [from, to] = [0, colours - 1];
    while (from < to) {
      const middle = (from + to + 1) >> 1;
      if (v >= least[middle]) from = middle;
      else to = middle - 1;
    }
    return from;
  };
  const image = new ImageData(side, side);
  values.forEach((signed, i) => {
    const size = Math.abs(signed);
    if (!(size >= least[0]) || (signed < 0 && !less)) return;
    const v = Math.min(size, top);
    const faint = v < one * (1 - 1e-9);
    const [r, g, b] = (signed < 0 ? below : inks)[colour(faint ? one : v)];
    image.data.set([r, g, b, faint ? Math.floor((255 * (Math.floor((v / one) * faintSteps) + 1)) / faintSteps) : 255], 4 * i);
  });
  return image;
}
