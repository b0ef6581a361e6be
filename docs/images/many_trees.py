"""Pictures of trees from frame to frame, of many trees, and of trees in parts. Used by draw here."""

from svg_card import BLUE, FAINT, GREEN, GREY, INK, LIGHT, LINE, ORANGE, PALE, Svg


def hlbvh(folder):
    svg = Svg(760, 300, "Buckets from the last order, and a better top")
    svg.text(20, 28, "From the last order: samples choose the buckets", 13, weight="bold")
    keys = (3, 9, 14, 22, 25, 31, 40, 46, 51, 55, 63, 70)
    for k, key in enumerate(keys):
        sample, splitter = k % 2 == 0, k in (4, 8)
        color = ORANGE if splitter else LIGHT if sample else "#ffffff"
        svg.box(20 + 28 * k, 44, 26, 24, str(key), color, ORANGE if splitter else GREY, 10, "#ffffff" if splitter else INK)
    svg.text(20, 84, "old order, new keys; green: samples, orange: splitters", 10, FAINT)
    moved = ([14, 3, 22, 9], [31, 25, 46, 40], [70, 51, 63, 55])
    for b, bucket in enumerate(moved):
        x = 20 + 116 * b
        svg.rect(x, 104, 108, 34, "#ffffff", GREY, "4 3")
        svg.rect(x, 172, 108, 34, PALE, GREEN)
        for k, key in enumerate(bucket):
            svg.text(x + 16 + 25 * k, 125, str(key), 11, INK, "middle")
            svg.text(x + 16 + 25 * k, 193, str(sorted(bucket)[k]), 11, INK, "middle")
        svg.arrow(x + 54, 140, x + 54, 168, GREEN, 1.6)
    svg.text(20, 226, "1. each key goes to its bucket, in any order", 11)
    svg.text(20, 243, "2. a block sorts each bucket in shared memory", 11)
    svg.text(20, 265, "Words move twice. The tree is that of a full sort.", 11, GREEN)

    svg.text(410, 28, "A better top: the tree over clusters anew", 13, weight="bold")

    def top(left, edges, places, color):
        for a, b in edges:
            svg.line([places[a], places[b]], color, 1.6)
        for name, (x, y) in places.items():
            if name.islower():
                svg.node(x, y, "", color, color, radius=7)
        for k, name in enumerate("ABCD"):
            x = left + 38 * k
            svg.line([(x, 142), (x - 14, 186), (x + 14, 186), (x, 142)], GREEN, 1.4, fill=PALE)
            svg.text(x, 180, name, 10, INK, "middle")

    x0, x1 = 424, 596
    old = {"r": (x0 + 60, 56), "s": (x0 + 24, 84), "t": (x0 + 38, 112), **{n: (x0 + 38 * k, 142) for k, n in enumerate("ABCD")}}
    new = {"r": (x1 + 57, 62), "s": (x1 + 19, 102), "t": (x1 + 95, 102), **{n: (x1 + 38 * k, 142) for k, n in enumerate("ABCD")}}
    top(x0, [("r", "s"), ("r", "D"), ("s", "A"), ("s", "t"), ("t", "B"), ("t", "C")], old, GREY)
    top(x1, [("r", "s"), ("r", "t"), ("s", "A"), ("s", "B"), ("t", "C"), ("t", "D")], new, ORANGE)
    svg.arrow(556, 100, 582, 100, FAINT, 2)
    svg.text(410, 213, "Cut: the nodes of largest area, until there are", 11)
    svg.text(410, 229, "8192 to 16384 clusters. SAH builds over their boxes.", 11)
    svg.text(410, 248, "As many nodes before as after: the new ones take the", 11, GREEN)
    svg.text(410, 264, "places of the old ones, and nothing else moves.", 11, GREEN)
    svg.save(folder / "hlbvh.svg")


def motion(folder):
    svg = Svg(760, 280, "One tree, and boxes at every key")
    svg.text(20, 28, "Same links, boxes for each key", 13, weight="bold")
    at_keys = [((30, 60, 60, 44), (70, 96, 50, 40)), ((190, 80, 60, 44), (250, 60, 50, 40))]
    for key, boxes in enumerate(at_keys):
        xs = [b[0] for b in boxes] + [b[0] + b[2] for b in boxes]
        ys = [b[1] for b in boxes] + [b[1] + b[3] for b in boxes]
        svg.rect(min(xs) - 6, min(ys) - 6, max(xs) - min(xs) + 12, max(ys) - min(ys) + 12, "#ffffff", GREY, "4 3")
        for name, (x, y, w, h) in zip("AB", boxes):
            svg.rect(x, y, w, h, PALE, GREEN)
            svg.text(x + 6, y + 15, name, 11, weight="bold")
        svg.text((min(xs) + max(xs)) / 2, 164, f"key {key}", 11, FAINT, "middle")
    between = [tuple((a + b) / 2 for a, b in zip(p, q)) for p, q in zip(*at_keys)]
    svg.text(20, 196, "The tree is built over the triangles in the middle of", 11)
    svg.text(20, 212, "the time, copied once per key, and each copy is refitted.", 11)
    svg.text(20, 234, "One tree of the whole motion would have the box", 11, FAINT)
    svg.text(20, 250, "around both dashed ones: every ray would enter it.", 11, FAINT)

    svg.text(400, 28, "A ray at time 1/2 sees boxes between the keys", 13, weight="bold")
    shift = 400 - 70
    for name, (x, y, w, h) in zip("AB", between):
        svg.rect(x + shift, y, w, h, "#fbe6d0", ORANGE)
        svg.text(x + shift + 6, y + 15, name, 11, weight="bold")
    svg.arrow(404, 150, 600, 84, ORANGE, 2)
    svg.text(400, 180, "plane = origin + step * ((1 - part) q + part r)", 12, ORANGE)
    svg.text(400, 200, "q, r: bytes of the plane at the two keys; the sum is one", 11)
    svg.text(400, 216, "instruction. All keys of a node have the same step.", 11)
    svg.text(400, 238, "A plane holds its corners at both keys, so it holds them", 11, GREEN)
    svg.text(400, 254, "between the keys too.", 11, GREEN)
    svg.save(folder / "motion.svg")


def forests(folder):
    svg = Svg(760, 280, "Three trees in one order and one array of nodes")
    svg.text(20, 28, "One sort by tree, then by Morton key; each tree ends where the delta is lowest", 13, weight="bold")
    colors, sizes = (GREEN, BLUE, ORANGE), (4, 3, 5)
    deltas = [2, 1, 3, None, 1, 2, None, 3, 2, 1, 3]
    leaf = 0
    for tree, (color, size) in enumerate(zip(colors, sizes)):
        for k in range(size):
            x = 24 + 59 * leaf
            svg.box(x, 48, 46, 28, str(k), color, color, 12, "#ffffff")
            if leaf < len(deltas):
                end = deltas[leaf] is None
                svg.text(x + 52.5, 94, "end" if end else str(deltas[leaf]), 10, FAINT if end else INK, "middle", "bold" if end else "normal")
            leaf += 1
    svg.text(24, 116, "deltas of neighbours: no range of leaves reaches over an end, so no node does", 11, FAINT)
    svg.text(20, 148, "The nodes of each tree stand as they would stand alone, only later in the array", 13, weight="bold")
    node = 0
    for color, size in zip(colors, sizes):
        begin = node
        for place in range(2 * size):
            x = 24 + 29.5 * node
            if place == 2 * size - 1:
                svg.rect(x, 166, 26, 26, "#ffffff", LINE, "3 2")
            elif place == 0:
                svg.box(x, 166, 26, 26, "r", color, color, 11, "#ffffff")
            else:
                svg.box(x, 166, 26, 26, str(place), "#ffffff", color, 10)
            node += 1
        svg.line([(24 + 29.5 * begin, 202), (24 + 29.5 * begin, 206), (24 + 29.5 * node - 3.5, 206), (24 + 29.5 * node - 3.5, 202)], color, 1.6)
        svg.text(24 + 29.5 * (begin + node) / 2, 221, f"{size} primitives: {2 * size - 1} nodes", 10, color, "middle")
    svg.text(20, 248, "The pair of split s stands at 2s - 1 and 2s of its tree. The first place is that of the root r, and the last one stays free.", 11)
    svg.text(20, 266, "Sizes and addresses follow from the input alone: the build can be captured in a graph.", 11, GREEN)
    svg.save(folder / "forests.svg")


def slices(folder):
    svg = Svg(760, 310, "A tree in slices: what the host makes anew")
    svg.text(20, 28, "The device builds slice by slice; the host joins the slices", 13, weight="bold")
    deltas = [5, 3, 7, 4, 9, 6, 2, 5]
    leaf_at = lambda k: (60 + 62 * k, 240)
    gap = {6: (476, 62), 1: (184, 106), 3: (246, 150), 0: (91, 195), 2: (215, 195), 5: (401, 150), 4: (339, 195), 7: (525, 195)}
    children = {6: (1, 7), 1: (0, 3), 3: (2, 5), 0: ("0", "1"), 2: ("2", "3"), 5: (4, "6"), 4: ("4", "5"), 7: ("7", "8")}
    anew = (6, 1, 3)
    place = lambda name: leaf_at(int(name)) if isinstance(name, str) else gap[name]
    for parent, pair in children.items():
        for child in pair:
            svg.line([gap[parent], place(child)], GREY, 1.6)
    for name, (x, y) in gap.items():
        color = ORANGE if name in anew else BLUE if name < 3 else GREEN
        svg.node(x, y, str(deltas[name]), color, color, "#ffffff", 12)
    for k in range(9):
        x, y = leaf_at(k)
        svg.box(x - 15, y - 12, 30, 24, str(k), "#ffffff", BLUE if k < 4 else GREEN)
    svg.line([(277, 44), (277, 268)], FAINT, 1.2, "4 3")
    svg.text(150, 280, "slice 0", 12, BLUE, "middle", "bold")
    svg.text(440, 280, "slice 1", 12, GREEN, "middle", "bold")
    svg.text(600, 80, "orange: nodes that", 11, ORANGE)
    svg.text(600, 96, "the border has cut off.", 11, ORANGE)
    svg.text(600, 112, "The host makes them", 11, ORANGE)
    svg.text(600, 128, "over what hangs below.", 11, ORANGE)
    svg.text(600, 156, "They lie on the outer", 11, FAINT)
    svg.text(600, 172, "paths of each slice: at", 11, FAINT)
    svg.text(600, 188, "most one per delta.", 11, FAINT)
    svg.text(20, 300, "The number of a node is the delta at which it splits: the lowest one between its leaves.", 10, FAINT)
    svg.save(folder / "slices.svg")


def shares(folder):
    svg = Svg(760, 250, "One batch on three GPUs")
    svg.text(20, 28, "A batch in the memory of the first GPU", 13, weight="bold")
    begins, colors = (0, 150, 270, 460), (GREEN, BLUE, ORANGE)
    for k, color in enumerate(colors):
        begin, end = begins[k], begins[k + 1]
        svg.box(20 + begin, 44, end - begin - 3, 30, f"range {k}", color, color, ink="#ffffff")
        svg.box(40 + 160 * k, 130, 120, 54, f"GPU {k}", PALE, color)
        svg.text(100 + 160 * k, 200, "a copy of the structure", 10, FAINT, "middle")
        svg.arrow(20 + (begin + end) / 2 - 8, 78, 92 + 160 * k, 126, color, 1.8)
        svg.arrow(108 + 160 * k, 126, 20 + (begin + end) / 2 + 8, 78, color, 1.8, "4 3")
    svg.text(20, 228, "solid: rays, read over the links; dashed: hits, written there", 11, FAINT)
    svg.text(530, 28, "Learned shares", 13, weight="bold")
    for row, (title, times) in enumerate((("first call: equal ranges", (130, 190, 95)), ("later calls: equal times", (140, 138, 141)))):
        y = 52 + 84 * row
        svg.text(530, y, title, 11)
        for k, time in enumerate(times):
            svg.rect(530, y + 8 + 15 * k, time, 11, colors[k])
    svg.line([(720, 56), (720, 110)], GREY, 1.2, "3 3")
    svg.line([(671, 140), (671, 194)], GREY, 1.2, "3 3")
    svg.text(530, 212, "A batch ends with its last", 11, GREEN)
    svg.text(530, 228, "GPU. Hits do not change.", 11, GREEN)
    svg.save(folder / "several-gpus.svg")
