"""Pictures on a white card, so that they read on light and on dark pages. Used by draw here and by bench/chart."""

import pathlib

GREEN, LIGHT, PALE, GREY, ORANGE, BLUE = "#1f7a54", "#8cc9ad", "#e3f3ea", "#7d8590", "#d9822b", "#5b84b1"
INK, FAINT, LINE = "#1f2328", "#57606a", "#d0d7de"


class Svg:
    def __init__(self, width, height, title):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'font-family="DejaVu Sans, Verdana, sans-serif">',
            f"<title>{title}</title>",
            f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8" fill="#ffffff" stroke="{LINE}"/>',
        ]

    def text(self, x, y, text, size=11, color=INK, anchor="start", weight="normal"):
        bold = ' font-weight="bold"' if weight == "bold" else ""
        place = f' text-anchor="{anchor}"' if anchor != "start" else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{color}"{place}{bold}>{text}</text>')

    def rect(self, x, y, width, height, color, edge=None, dash=None):
        stroke = f' stroke="{edge}"' if edge else ""
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{color}"{stroke}{dashes}/>')

    def line(self, points, color, width=1.0, dash=None, fill="none"):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<polyline points="{path}" fill="{fill}" stroke="{color}" stroke-width="{width}"{dashes}/>')

    def dot(self, x, y, color, radius=2.6):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{color}"/>')

    def arrow(self, x0, y0, x1, y1, color=FAINT, width=1.4, dash=None):
        self.line([(x0, y0), (x1, y1)], color, width, dash)
        length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
        ux, uy = (x1 - x0) / length, (y1 - y0) / length
        head = [(x1, y1), (x1 - 7 * ux - 3.5 * uy, y1 - 7 * uy + 3.5 * ux), (x1 - 7 * ux + 3.5 * uy, y1 - 7 * uy - 3.5 * ux)]
        self.parts.append('<polygon points="' + " ".join(f"{x:.1f},{y:.1f}" for x, y in head) + f'" fill="{color}"/>')

    def box(self, x, y, width, height, label, color=PALE, edge=GREEN, size=11, ink=INK):
        """A rectangle with a label in its middle."""
        self.rect(x, y, width, height, color, edge)
        self.text(x + width / 2, y + height / 2 + size * 0.36, label, size, ink, "middle")

    def node(self, x, y, label, color=PALE, edge=GREEN, ink=INK, radius=13):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{color}" stroke="{edge}" stroke-width="1.4"/>')
        self.text(x, y + 4, label, 11, ink, "middle")

    def tree(self, places, edges, leaves=(), marked=()):
        """Nodes by name at (x, y), and edges between names."""
        for a, b in edges:
            self.line([places[a], places[b]], GREY, 1.4)
        for name, (x, y) in places.items():
            if name in marked:
                self.node(x, y, name, ORANGE, ORANGE, "#ffffff")
            elif name in leaves:
                self.box(x - 13, y - 11, 26, 22, name)
            else:
                self.node(x, y, name)

    def legend(self, x, y, entries):
        for label, color in entries:
            self.rect(x, y - 9, 10, 10, color)
            self.text(x + 15, y, label, 11, FAINT)
            x += 28 + 6.6 * len(label)

    def save(self, path):
        pathlib.Path(path).write_text("\n".join(self.parts) + "\n</svg>\n")
        print(path)
