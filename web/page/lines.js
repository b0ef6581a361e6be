// Lines over the picture: boxes of the tree, and the walk of a ray.

const edges = [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];

/// Returns the colour of a depth: warm at the root, cold below.
export function depthColour(depth, deepest, opacity = 1) {
  const hue = 370 - (150 * depth) / Math.max(deepest, 1);
  return `hsl(${hue} 85% 52% / ${opacity})`;
}

export class Lines {
  constructor(canvas, camera) {
    this.canvas = canvas;
    this.camera = camera;
  }

  begin() {
    this.context = this.canvas.getContext("2d");
    this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.project = this.camera.projection(this.canvas.width / this.canvas.height);
    this.unit = this.canvas.width / Math.max(this.canvas.clientWidth, 1);
  }

  /// Returns the pixel of a point, or null if it is behind the eye.
  place(point) {
    const [x, y, depth] = this.project(point);
    if (!(depth > 0)) return null;
    return [((x + 1) / 2) * this.canvas.width, ((1 - y) / 2) * this.canvas.height];
  }

  line(from, to) {
    if (!from || !to) return;
    this.context.moveTo(...from);
    this.context.lineTo(...to);
  }

  /// Draws boxes: six numbers each, lower and upper corner.
  boxes(floats, colour, width = 1) {
    this.context.beginPath();
    for (let i = 0; i + 6 <= floats.length; i += 6) {
      const corners = [];
      for (let c = 0; c < 8; ++c) {
        corners.push(this.place([floats[i + (c & 1 ? 3 : 0)], floats[i + (c & 2 ? 4 : 1)], floats[i + (c & 4 ? 5 : 2)]]));
      }
      for (const [a, b] of edges) this.line(corners[a], corners[b]);
    }
    this.stroke(colour, width);
  }

  polyline(points, colour, width, closed = false) {
    this.context.beginPath();
    const places = points.map((point) => this.place(point));
    for (let i = 1; i < places.length; ++i) this.line(places[i - 1], places[i]);
    if (closed) this.line(places[places.length - 1], places[0]);
    this.stroke(colour, width);
  }

  dot(point, colour) {
    const at = this.place(point);
    if (!at) return;
    this.context.beginPath();
    this.context.arc(...at, 4 * this.unit, 0, 7);
    this.context.fillStyle = colour;
    this.context.fill();
  }

  stroke(colour, width) {
    this.context.strokeStyle = colour;
    this.context.lineWidth = width * this.unit;
    this.context.stroke();
  }
}
