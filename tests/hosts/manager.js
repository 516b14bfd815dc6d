/**
 * A widget manager, as small as one can be: models of a session, views of anywidget's modules, and
 * a wire to the real Python half. What hosts do differently is chosen by the page's address.
 *
 *   host   jupyter     models with a comm that says that it lives, references as ipywidgets writes them
 *          bare        the host has written the bare ids of models
 *          plain       models without comm and comm_live, as marimo's
 *          shadow      views stand in shadow roots
 *          still       the models have no comm: a written page
 *          silent      nobody answers, and no model says so
 *   busy   milliseconds for which the kernel has something else to do
 */
const asked = new URLSearchParams(location.search);
const host = asked.get("host");
const busy = Number(asked.get("busy") ?? 0);
const session = asked.get("session");
const isWritten = host === "still" || host === "silent";

const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const viewOf = (text) => new DataView(bytesOf(text).buffer);
const textOf = (buffer) => {
  const bytes = ArrayBuffer.isView(buffer)
    ? new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
    : new Uint8Array(buffer);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
};

class Model {
  #listeners = [];
  #changed = {};

  constructor(id, state) {
    this.model_id = id;
    this.attributes = state;
    this.widget_manager = manager;
    if (host !== "plain" && host !== "silent") {
      this.comm = isWritten ? undefined : { comm_id: id };
      this.comm_live = !isWritten;
    }
  }

  get(name) {
    return this.attributes[name];
  }

  set(name, value) {
    this.attributes[name] = value;
    this.#changed[name] = value;
    this.emit(`change:${name}`, this, value, {});
    this.emit("change", this, {});
  }

  save_changes() {
    if (!isWritten) tell(this.model_id, { method: "update", state: this.#changed }, []);
    this.#changed = {};
  }

  send(content, _callbacks, buffers = []) {
    if (!isWritten) tell(this.model_id, { method: "custom", content }, buffers);
  }

  on(name, hear, context) {
    this.#listeners.push({ name, hear, context });
  }

  off(name, hear, context) {
    const same = (given, own) => given === null || given === undefined || given === own;
    this.#listeners = this.#listeners.filter(
      (each) => !(same(name, each.name) && same(hear, each.hear) && same(context, each.context)),
    );
  }

  emit(name, ...given) {
    for (const each of [...this.#listeners]) if (each.name === name) each.hear(...given);
  }

  hear(data, buffers) {
    if (data.method === "custom") return this.emit("msg:custom", data.content, buffers);
    for (const [name, value] of Object.entries(data.state ?? {})) {
      this.attributes[name] = value;
      this.emit(`change:${name}`, this, value, {});
    }
    this.emit("change", this, {});
  }
}

const models = new Map();
const manager = {
  async get_model(id) {
    const found = models.get(id);
    if (!found) throw new Error(`widget model not found: ${id}`);
    return found;
  },
};

/** What anywidget gives a module: not the model itself. */
function proxyOf(model, context) {
  const bound = (name) => model[name].bind(model);
  return {
    ...Object.fromEntries(["get", "set", "save_changes", "send"].map((each) => [each, bound(each)])),
    on: (name, hear) => model.on(name, hear, context),
    off: (name, hear) => model.off(name, hear, context),
    widget_manager: manager,
  };
}

let last = Promise.resolve();
/** In the order in which they were sent. */
function tell(id, data, buffers) {
  const body = JSON.stringify({ id, data, buffers: buffers.map(textOf) });
  const later = new Promise((done) => setTimeout(done, busy - performance.now()));
  last = last.then(() => later).then(() => fetch("/tell", { method: "POST", body }));
}

async function listen(from) {
  for (let next = from; ; ) {
    const { heard, until } = await (await fetch(`/heard?from=${next}`)).json();
    next = until;
    for (const { id, data, buffers } of heard) models.get(id)?.hear(data, buffers.map(viewOf));
  }
}

async function show(id, place) {
  const model = models.get(id);
  const el = document.createElement("div");
  const home = host === "shadow" ? place.attachShadow({ mode: "open" }) : place;
  home.append(el);
  const url = URL.createObjectURL(new Blob([model.get("_esm")], { type: "text/javascript" }));
  const { default: module } = await import(url);
  const given = { model: proxyOf(model, el), signal: new AbortController().signal };
  await module.initialize?.(given);
  await module.render({ ...given, el });
}

const { states, until, shown } = await (await fetch(`/session?name=${session}`)).json();
for (const [id, written] of Object.entries(states)) {
  const state = JSON.parse(host === "bare" ? written.replaceAll("IPY_MODEL_", "") : written);
  models.set(id, new Model(id, state));
}
if (!isWritten) listen(until);
await Promise.all(
  Object.entries(shown).map(([kind, id]) => {
    const place = document.body.appendChild(document.createElement("section"));
    place.id = kind;
    return show(id, place);
  }),
);
