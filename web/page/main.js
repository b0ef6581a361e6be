// The page: what the controls do, and when pictures are drawn.

import { Camera } from "./camera.js";
import { depthColour, Lines } from "./lines.js";
import { Module } from "./module.js";
import { showCommand, showFacts, showPick, showRays } from "./text.js";

const element = (id) => document.getElementById(id);
const stage = element("stage"), picture = element("picture"), overlay = element("lines"), status = element("status");
const module = new Module(), camera = new Camera(), lines = new Lines(overlay, camera);
const maxBoxes = 6000;

const scene = { name: "testball.ply", built: false, boxes: null, depth: 0, pick: null, picking: false };

function say(text, isError = false) {
  status.textContent = text;
  status.hidden = text === "";
  status.classList.toggle("error", isError);
}
function fail(error) {
  document.body.dataset.state = "error";
  say(error.message, true);
}

// ---- Pictures ----------------------------------------------------------------------------------------------

/// The size of a picture: whole pixels of the screen at rest, a third of them while it turns.
function sizeOf(share) {
  const unit = Math.min(window.devicePixelRatio || 1, 1.5) * share;
  return { width: Math.max(1, Math.round(stage.clientWidth * unit)), height: Math.max(1, Math.round(stage.clientHeight * unit)) };
}
const rays = () => {
  const { width, height } = sizeOf(1);
  return { camera: camera.numbers(width / height), width, height };
};

let isDrawing = false, wanted = 0, restTimer = 0;

/// Draws the picture soon. Only the newest wish is drawn.
function draw(share) {
  wanted = share;
  drawLines();
  if (!isDrawing) drawWanted().catch(fail);
}

/// Draws a coarse picture now, and a fine one when the camera rests.
function drawMoving() {
  draw(1 / 3);
  clearTimeout(restTimer);
  restTimer = setTimeout(() => draw(1), 160);
}

async function drawWanted() {
  isDrawing = true;
  try {
    while (wanted !== 0 && scene.built) {
      const { width, height } = sizeOf(wanted);
      wanted = 0;
      const heat = element("heat").checked;
      const answer = await module.ask({ command: "picture", camera: camera.numbers(width / height), width, height, heat });
      picture.width = width;
      picture.height = height;
      picture.getContext("2d").putImageData(new ImageData(answer.data, width, height), 0, 0);
      element("scale").hidden = !heat;
      element("max-visits").textContent = `${answer.max_visits} visits or more`;
      document.body.dataset.firstPicture ??= Math.round(performance.now());
    }
  } finally {
    isDrawing = false;
  }
}

function drawLines() {
  const { width, height } = sizeOf(1);
  if (overlay.width !== width || overlay.height !== height) Object.assign(overlay, { width, height });
  lines.begin();
  const level = Number(element("level").value);
  if (scene.boxes) {
    const opacity = Math.max(0.12, Math.min(1, 150 / (scene.boxes.length / 6)));
    lines.boxes(scene.boxes, depthColour(level, scene.depth, opacity), 1.3);
  }
  const walk = scene.pick;
  if (!walk) return;
  const steps = walk.visited.slice(0, Number(element("step").value));
  for (const node of steps) lines.boxes(node.box, depthColour(node.depth, scene.depth, 0.35), 1);
  if (steps.length > 0) lines.boxes(steps.at(-1).box, depthColour(steps.at(-1).depth, scene.depth), 2.5);
  if (walk.hit && steps.length === walk.visited.length) {
    lines.polyline(walk.corners, "#ffffff", 4, true);
    lines.polyline(walk.corners, "#d0103a", 2, true);
    lines.dot(walk.point, "#d0103a");
  }
}

// ---- The tree ----------------------------------------------------------------------------------------------

const recipe = () => ({
  builder: element("builder").value,
  layout: element("layout").value,
  reinsertion: Number(element("reinsertion").value),
});

/// Builds the tree.
///   isNew: of another mesh, so that the camera looks at it first
async function build(isNew = false) {
  say("Building…");
  document.body.dataset.state = "building";
  forget();
  const facts = await module.ask({ command: "build", ...recipe() });
  scene.built = true;
  if (isNew) camera.frame(facts.bounds);
  showFacts(facts);
  showCommand(scene.name, recipe(), facts.checksum);
  document.body.dataset.checksum = facts.checksum;
  await showLevel();
  draw(1);
  const times = await module.ask({ command: "rays", ...rays() });
  showRays(times);
  say("");
  document.body.dataset.state = "ready";
}

async function load(bytes, name) {
  say(`Reading ${name}…`);
  document.body.dataset.state = "loading";
  forget();
  scene.boxes = null;
  const { message } = await module.ask({ command: "load", name }, bytes);
  scene.name = name;
  await build(true);
  if (message) say(message);
}

async function showLevel() {
  const level = Number(element("level").value);
  element("level-text").textContent = level < 0 ? "none" : level;
  if (level < 0) scene.boxes = null;
  else {
    const answer = await module.ask({ command: "boxes", level, most: maxBoxes });
    scene.boxes = answer.data;
    scene.depth = answer.depth;
    element("level").max = answer.depth;
    element("level-text").textContent =
      answer.count > answer.shown ? `${level}: ${answer.shown} of ${answer.count}` : `${level}: ${answer.count}`;
  }
  drawLines();
}

let growing = 0;

/// Shows the levels one after another.
function grow() {
  clearInterval(growing);
  element("level").value = 0;
  showLevel().catch(fail);
  growing = setInterval(() => {
    const level = element("level");
    if (Number(level.value) >= Math.min(scene.depth || 1, 12)) return clearInterval(growing);
    level.value = Number(level.value) + 1;
    showLevel().catch(fail);
  }, 650);
}

// ---- A picked ray ------------------------------------------------------------------------------------------

async function pick(x, y) {
  if (!scene.built || scene.picking) return;
  scene.picking = true;
  try {
    scene.pick = await module.ask({ command: "pick", ...rays(), x, y });
    scene.depth = Math.max(scene.depth, ...scene.pick.visited.map((node) => node.depth));
    const step = element("step");
    step.max = scene.pick.visited.length;
    step.value = step.max;
    element("walk").hidden = false;
    showPick(scene.pick, scene.pick.visited.length);
    document.body.dataset.steps = scene.pick.visited.length;
    drawLines();
  } finally {
    scene.picking = false;
  }
}

function forget() {
  scene.pick = null;
  element("walk").hidden = true;
  drawLines();
}

// ---- Controls ----------------------------------------------------------------------------------------------

for (const id of ["builder", "layout", "reinsertion"]) {
  element(id).addEventListener("change", () => scene.built && build().catch(fail));
}
element("level").addEventListener("input", () => (clearInterval(growing), showLevel().catch(fail)));
element("grow").addEventListener("click", grow);
element("heat").addEventListener("change", () => draw(1));
element("forget").addEventListener("click", forget);
element("step").addEventListener("input", () => {
  showPick(scene.pick, Number(element("step").value));
  drawLines();
});

const openFile = async (file) => load(new Uint8Array(await file.arrayBuffer()), file.name);
element("file").addEventListener("change", ({ target }) => target.files[0] && openFile(target.files[0]).catch(fail));
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    element("drop").classList.toggle("over", kind === "dragover");
    if (kind === "drop" && event.dataTransfer.files[0]) openFile(event.dataTransfer.files[0]).catch(fail);
  });
}

let drag = null;
overlay.addEventListener("pointerdown", (event) => {
  overlay.setPointerCapture(event.pointerId);
  drag = { x: event.clientX, y: event.clientY, moved: 0 };
});
overlay.addEventListener("pointermove", (event) => {
  if (!drag) return;
  const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
  drag = { x: event.clientX, y: event.clientY, moved: drag.moved + Math.abs(dx) + Math.abs(dy) };
  if (drag.moved < 4) return;
  camera.turn(-dx * 0.008, dy * 0.008);
  drawMoving();
});
overlay.addEventListener("pointerup", (event) => {
  if (drag && drag.moved < 4) {
    const { width, height } = sizeOf(1), box = overlay.getBoundingClientRect();
    const at = (value, count) => Math.min(count - 1, Math.max(0, Math.floor(value * count)));
    pick(at((event.clientX - box.left) / box.width, width), at((event.clientY - box.top) / box.height, height)).catch(fail);
  }
  drag = null;
});
overlay.addEventListener("wheel", (event) => {
  event.preventDefault();
  camera.zoomBy(Math.exp(-event.deltaY * 0.0012));
  drawMoving();
}, { passive: false });
overlay.addEventListener("keydown", (event) => {
  const keys = {
    ArrowLeft: () => camera.turn(-0.1, 0), ArrowRight: () => camera.turn(0.1, 0),
    ArrowUp: () => camera.turn(0, 0.1), ArrowDown: () => camera.turn(0, -0.1),
    "+": () => camera.zoomBy(1.15), "-": () => camera.zoomBy(1 / 1.15),
  };
  if (event.key === "Enter") {
    const { width, height } = sizeOf(1);
    pick(width >> 1, height >> 1).catch(fail);
  } else if (keys[event.key]) {
    event.preventDefault();
    keys[event.key]();
    drawMoving();
  }
});
new ResizeObserver(() => draw(1)).observe(stage);

fetch("testball.ply.gz")
  .then((reply) => {
    if (!reply.ok) throw new Error(`testball.ply.gz: the server says ${reply.status}`);
    return reply.arrayBuffer();
  })
  .then((bytes) => load(new Uint8Array(bytes), "testball.ply"))
  .catch(fail);
