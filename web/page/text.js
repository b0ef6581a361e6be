// The texts of the page.

const element = (id) => document.getElementById(id);
const grouped = new Intl.NumberFormat("en-US");
const time = (ms) => (ms < 100 ? `${ms.toFixed(1)} ms` : ms < 10000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
const bytes = (count) => (count < 1e6 ? `${(count / 1e3).toFixed(0)} kB` : `${(count / 1e6).toFixed(1)} MB`);

function row(id, name, text) {
  let line = element(id);
  if (!line) {
    line = element("facts").insertRow();
    line.id = id;
    line.insertCell().textContent = name;
    line.insertCell();
  }
  line.cells[1].textContent = text;
}

export function showFacts(facts) {
  row("fact-triangles", "Triangles", grouped.format(facts.triangles));
  row("fact-build", "Build, on one thread", time(facts.build_ms));
  row("fact-nodes", "Nodes, leaves", `${grouped.format(facts.nodes)}, ${grouped.format(facts.leaves)}`);
  row("fact-depth", "Depth", facts.depth);
  row("fact-cost", "SAH cost", facts.sah_cost.toFixed(2));
  row("fact-bytes", "Memory of the tree", bytes(facts.bytes));
  row("fact-rays", "Rays, by 128-bit SIMD", "…");
}

export function showRays({ rays, ms }) {
  row("fact-rays", "Rays, by 128-bit SIMD", `${(rays / ms / 1000).toFixed(2)} million per second`);
}

/// Shows the command that makes the same tree on any machine. A line breaks before an option, not inside of it.
export function showCommand(name, { builder, layout, reinsertion }, checksum) {
  element("checksum").textContent = checksum;
  const options = [`--builder ${builder}`, `--layout ${layout}`];
  if (reinsertion > 0) options.splice(1, 0, `--reinsertion ${reinsertion}`);
  element("command").replaceChildren(`copse build ${name}`);
  for (const option of options) {
    const span = document.createElement("span");
    span.textContent = option;
    element("command").append(" ", span);
  }
}

const counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;

export function showPick(pick, step) {
  element("step-text").textContent = `${step} of ${pick.visited.length}`;
  const node = pick.visited[step - 1];
  const here = node
    ? node.leaf ? `Leaf of ${counted(node.triangles, "triangle", "triangles")} at depth ${node.depth}. ` : `Node ${node.node} at depth ${node.depth}. `
    : "";
  const leaves = pick.visited.filter((visited) => visited.leaf).length;
  const end = pick.hit ? `It hits triangle ${grouped.format(pick.triangle)} at t = ${pick.t.toPrecision(5)}.` : "It hits nothing.";
  element("pick-text").textContent =
    `${here}The ray visits ${counted(pick.visited.length - leaves, "node", "nodes")} and ${counted(leaves, "leaf", "leaves")}, ` +
    `and tests ${counted(pick.tests, "triangle", "triangles")}. ${end}`;
}
