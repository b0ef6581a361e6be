// A camera that turns around the middle of a box, and its projection.

const fieldOfView = (40 * Math.PI) / 180;

const add = (a, b, s = 1) => a.map((x, i) => x + s * b[i]);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const scale = (a, s) => a.map((x) => x * s);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

export class Camera {
  yaw = 0.65;
  pitch = 0.42;
  zoom = 1;
  middle = [0, 0, 0];
  radius = 1;

  /// Looks at a box: six numbers, lower and upper corner.
  frame(bounds) {
    const lower = bounds.slice(0, 3), upper = bounds.slice(3, 6);
    this.middle = scale(add(lower, upper), 0.5);
    this.radius = Math.max(Math.sqrt(dot(add(upper, lower, -1), add(upper, lower, -1))) / 2, 1e-30);
    this.zoom = 1;
  }

  turn(yaw, pitch) {
    this.yaw += yaw;
    this.pitch = Math.min(1.55, Math.max(-1.55, this.pitch + pitch));
  }
  zoomBy(factor) {
    this.zoom = Math.min(20, Math.max(0.3, this.zoom * factor));
  }

  /// Returns eye, forward, right and up, as the module takes them. right and up reach to the edges of the picture.
  vectors(aspect) {
    const back = [Math.cos(this.pitch) * Math.sin(this.yaw), Math.sin(this.pitch), Math.cos(this.pitch) * Math.cos(this.yaw)];
    const right = [Math.cos(this.yaw), 0, -Math.sin(this.yaw)];
    const half = Math.tan(fieldOfView / 2);
    const distance = (1.02 * this.radius) / (Math.sin(fieldOfView / 2) * Math.min(1, aspect) * this.zoom);
    return {
      eye: add(this.middle, back, distance),
      forward: scale(back, -1),
      right: scale(right, half * aspect),
      up: scale(cross(back, right), half),
    };
  }

  numbers(aspect) {
    const { eye, forward, right, up } = this.vectors(aspect);
    return [...eye, ...forward, ...right, ...up];
  }

  /// Returns a function that takes a point to [x, y, depth], x and y from -1 to 1 inside of the picture.
  projection(aspect) {
    const { eye, forward, right, up } = this.vectors(aspect);
    const rightLength = dot(right, right), upLength = dot(up, up);
    return (point) => {
      const from = add(point, eye, -1);
      const depth = dot(from, forward);
      return [dot(from, right) / rightLength / depth, dot(from, up) / upLength / depth, depth];
    };
  }
}
