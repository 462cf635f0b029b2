/* Veraz: an agent that answers from its documents, on this page.
   <script src="https://…/widget.js" data-agent="…" async></script>
   No cookies, no other requests; what models and people write reaches the page only as text. */
(() => {
  "use strict";
  const script = document.currentScript;
  const agent = script && script.dataset.agent;
  if (!agent || document.querySelector("veraz-widget")) return;
  const base = new URL(`widget/${encodeURIComponent(agent)}`, script.src).href;
  const preview = script.dataset.preview;

  const WORDS = {
    es: {
      open: "Abrir el asistente", close: "Cerrar", send: "Enviar", again: "Nueva conversación", back: "Volver",
      hello: "Hola, ¿en qué le puedo ayudar?", write: "Escriba su pregunta", searching: "Buscando en los documentos…",
      person: "Hablar con una persona", agent: "Volver con el asistente", waiting: "Una persona del equipo responderá aquí mismo.",
      team: "Una persona del equipo", retry: "Reintentar", lost: "No se pudo obtener la respuesta.", offline: "No hay conexión. Revise su internet.",
      source: "Fuente", sources: "Fuentes", page: "página", sheet: "hoja", row: "fila", picture: "La página con la cita marcada",
      sent: "Enviado; lo leerá una persona del equipo.", attended: "Le atiende una persona del equipo.",
      soon: "Va muy rápido; su mensaje se enviará en unos segundos.", slow: "Va muy rápido; espere unos segundos.",
      enough: "Hoy ya no se pueden recibir más mensajes aquí. Vuelva mañana.",
      left: "Este mensaje quedó sin respuesta.", ask: "Preguntarle al asistente",
      loading: "Abriendo la fuente…", gone: "Esta fuente ya no está disponible.", chat: "Conversación", unread: "Mensaje nuevo", more: "Preguntas sugeridas",
    },
    en: {
      open: "Open the assistant", close: "Close", send: "Send", again: "New conversation", back: "Back",
      hello: "Hello, how can I help you?", write: "Write your question", searching: "Searching the documents…",
      person: "Talk to a person", agent: "Back to the assistant", waiting: "A person of the team will answer you right here.",
      team: "A person of the team", retry: "Try again", lost: "The answer could not be fetched.", offline: "There is no connection. Check your internet.",
      source: "Source", sources: "Sources", page: "page", sheet: "sheet", row: "row", picture: "The page with the quotation marked",
      sent: "Sent; a person of the team will read it.", attended: "A person of the team is with you.",
      soon: "That was very fast; your message will be sent in a few seconds.", slow: "That was very fast; wait a few seconds.",
      enough: "No more messages can be received here today. Come back tomorrow.",
      left: "This message was left without an answer.", ask: "Ask the assistant",
      loading: "Opening the source…", gone: "This source is no longer available.", chat: "Conversation", unread: "New message", more: "Suggested questions",
    },
  };

  const CSS = `
    :host{all:initial}
    *{box-sizing:border-box;font:inherit;color:inherit}
    .root{--bg:#fff;--fg:#1f2937;--quiet:#4b5563;--soft:#f3f4f6;--line:#d1d5db;--mark:#fde68a;--bad:#b91c1c;
      font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;color:var(--fg);text-align:left}
    @media (prefers-color-scheme:dark){.root{--bg:#111827;--fg:#f3f4f6;--quiet:#cbd5e1;--soft:#1f2937;--line:#374151;--mark:#fde68a;--bad:#fca5a5}}
    button{border:0;background:none;padding:0;margin:0;cursor:pointer;text-align:inherit}
    button:focus-visible,a:focus-visible,.log:focus-visible{outline:3px solid var(--fg);outline-offset:2px}
    textarea:focus-visible{outline:2px solid var(--fg);outline-offset:-1px}
    [hidden]{display:none!important}
    svg{width:24px;height:24px;display:block;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
    .launch{position:fixed;bottom:20px;right:20px;width:58px;height:58px;border-radius:50%;background:var(--accent);color:var(--ink);
      display:grid;place-items:center;box-shadow:0 0 0 1px #0001,0 6px 20px #0004}
    .left .launch{right:auto;left:20px}
    .launch svg{width:28px;height:28px}
    .dot{position:absolute;top:2px;right:2px;width:14px;height:14px;border-radius:50%;background:#dc2626;border:2px solid #fff}
    .panel{position:fixed;bottom:20px;right:20px;width:400px;max-width:calc(100vw - 24px);height:min(660px,calc(100vh - 40px));
      display:flex;flex-direction:column;background:var(--bg);border:1px solid var(--line);border-radius:18px;overflow:hidden;
      box-shadow:0 18px 50px #0005}
    .left .panel{right:auto;left:20px}
    .head{display:flex;align-items:center;gap:4px;padding:12px 10px 12px 18px;background:var(--accent);color:var(--ink)}
    h2{flex:1;margin:0;font-weight:600;font-size:16px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
    .icon{width:36px;height:36px;border-radius:50%;display:grid;place-items:center;flex:none}
    .icon svg{width:20px;height:20px}
    .head .icon:hover{background:#0002}
    .head .icon:focus-visible{outline-color:var(--ink);outline-offset:-3px}
    .plain.top{position:sticky;top:-16px;margin:-16px -16px 8px;padding:12px 16px;width:calc(100% + 32px);text-align:left;background:var(--bg);z-index:1}
    .log,.source{flex:1;overflow-y:auto;overscroll-behavior:contain;padding:16px}
    .log{display:flex;flex-direction:column;gap:12px}
    .msg{max-width:92%;overflow-wrap:anywhere}
    .msg p,.msg ul,.msg ol{margin:0 0 8px}
    .msg ul,.msg ol{padding-left:20px}
    .msg>:last-child{margin-bottom:0}
    .visitor{align-self:flex-end;background:var(--accent);color:var(--ink);padding:9px 14px;border-radius:16px 16px 4px 16px;white-space:pre-wrap}
    .agent,.person{align-self:flex-start;background:var(--soft);padding:10px 14px;border-radius:16px 16px 16px 4px}
    .person{border-left:4px solid var(--accent)}
    .who{font-size:12.5px;font-weight:600;color:var(--quiet);margin-bottom:2px}
    strong{font-weight:650}
    a{text-decoration:underline}
    .cite{min-width:20px;height:20px;padding:0 5px;margin:0 1px 0 3px;border-radius:10px;background:var(--bg);border:1px solid var(--quiet);
      font-size:12px;line-height:18px;font-weight:600;text-align:center;vertical-align:1px}
    .cite:hover,.from button:hover{background:var(--mark);color:#1f2937}
    .from{border-top:1px solid var(--line);margin-top:10px!important;padding:8px 0 0!important;list-style:none;font-size:13px}
    .from button{padding:3px 6px;margin-left:-6px;border-radius:6px}
    .from b{font-weight:650;margin-right:6px}
    .note{margin:0 0 8px;font-size:13.5px;color:var(--quiet);text-align:center}
    .sent{align-self:flex-end;margin:-8px 0 0;font-size:12.5px;color:var(--quiet);text-align:right}
    .fault{align-self:stretch;border:1px solid var(--bad);border-radius:12px;padding:10px 14px;color:var(--bad);font-size:14px}
    .fault button,.sent button,.plain{text-decoration:underline;font-weight:600}
    .fault button{display:block;margin-top:4px}
    .busy{display:flex;align-items:center;gap:8px;color:var(--quiet)}
    .busy i{width:7px;height:7px;border-radius:50%;background:currentColor}
    @media (prefers-reduced-motion:no-preference){
      .busy i{animation:beat 1.2s infinite}.busy i:nth-child(2){animation-delay:.2s}.busy i:nth-child(3){animation-delay:.4s}
      .panel{animation:rise .18s ease-out}
      @keyframes beat{50%{opacity:.25}}
      @keyframes rise{from{transform:translateY(12px);opacity:0}}}
    .offers{display:flex;flex-direction:column;align-items:flex-start;gap:8px;margin:0;padding:0;list-style:none}
    .offers button{border:1px solid var(--line);border-radius:14px;padding:8px 12px;font-size:14px}
    .offers button:hover{background:var(--soft)}
    .foot{border-top:1px solid var(--line);padding:10px 12px 12px}
    form{display:flex;gap:8px;align-items:flex-end}
    textarea{flex:1;resize:none;max-height:120px;min-height:42px;padding:9px 12px;border:1px solid var(--quiet);border-radius:12px;background:var(--bg);font-size:16px;line-height:1.4}
    textarea::placeholder{color:var(--quiet);opacity:1}
    .send{width:42px;height:42px;border-radius:50%;background:var(--accent);color:var(--ink);display:grid;place-items:center;flex:none}
    .send:disabled{opacity:.5;cursor:default}
    .plain{font-size:13px;color:var(--quiet);padding:6px 2px 0}
    .source h3{margin:10px 0 2px;font-size:16px;font-weight:650;overflow-wrap:anywhere}
    .place{margin:0 0 12px;color:var(--quiet);font-size:13px;overflow-wrap:anywhere}
    .quote{white-space:pre-wrap;overflow-wrap:anywhere;color:var(--quiet);margin:0}
    mark{background:var(--mark);color:#1f2937;padding:1px 2px;border-radius:3px}
    canvas{width:100%;height:auto;border:1px solid var(--line);border-radius:8px;margin-top:14px;background:#fff}
    .grid{overflow-x:auto;margin-top:12px;border:1px solid var(--line);border-radius:8px; /* a shadow where it goes on */
      background:linear-gradient(to right,var(--bg) 30%,#0000) 0/40px,linear-gradient(to left,var(--bg) 30%,#0000) 100%/40px,
        linear-gradient(to right,#0005,#0000) 0/16px,linear-gradient(to left,#0005,#0000) 100%/16px;
      background-repeat:no-repeat;background-attachment:local,local,scroll,scroll}
    table{border-collapse:collapse;font-size:13px}
    td,th{border:1px solid var(--line);padding:3px 8px}
    tr.on td{background:var(--mark);color:#1f2937}
    @media (max-width:520px){.panel,.left .panel{inset:0;width:100%;max-width:none;height:100%;height:100dvh;border:0;border-radius:0}}
    @media (forced-colors:active){.launch,.send,.cite{border:1px solid}}`;

  const ICONS = {
    chat: "M21 12a8 8 0 0 1-8 8H4l2-3a8 8 0 1 1 15-5z M9 11h8 M9 14h5",
    close: "M6 6l12 12 M18 6L6 18",
    again: "M4 12a8 8 0 1 0 3-6.2 M4 4v5h5",
    back: "M15 5l-7 7 7 7",
    send: "M12 20V5 M5 12l7-7 7 7",
  };

  /* What is remembered on this site; where storage is forbidden, until the page is left. */
  const key = `veraz:${agent}`;
  let memory = {};
  try { memory = JSON.parse(localStorage.getItem(key)) || {}; } catch { /* no storage */ }
  const keep = (changes) => {
    Object.assign(memory, changes);
    try { localStorage.setItem(key, JSON.stringify(memory)); } catch { /* no storage */ }
  };

  let look, language, t, ui;
  let busy = false, withPerson = false, last = null, unnamed = 0, timer = 0, ready = null;

  const LONGEST_WAIT = 90; /* seconds; longer than any pause between two messages: the day's are used up */
  const pause = (milliseconds) => new Promise((go) => setTimeout(go, milliseconds));

  /* Calls */

  async function send(path, body, again = true) {
    const headers = { "Accept-Language": language || "es" };
    if (body) headers["Content-Type"] = "application/json";
    if (memory.token) headers.Authorization = `Bearer ${memory.token}`;
    let answer;
    try {
      answer = await fetch(base + path, {
        method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body), credentials: "omit", cache: "no-store",
      });
    } catch { throw new Error(t ? t.offline : "offline"); }
    if (answer.status === 401 && again) {
      await session();
      return send(path, body, false);
    }
    if (answer.ok) return answer;
    const wait = answer.status === 429 && Number(answer.headers.get("Retry-After"));
    if (wait && t) throw Object.assign(new Error(wait > LONGEST_WAIT ? t.enough : t.slow), { wait });
    throw new Error((await answer.json().catch(() => ({}))).detail || `${answer.status}`);
  }

  const read = async (path, body) => (await send(path, body)).json();

  async function session() {
    keep({ token: (await (await send("/session", { preview }, false)).json()).token });
  }

  /* Drawing; text is only ever text */

  function h(tag, props = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(props)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value === true) element.setAttribute(name, "");
      else if (value !== false && value != null) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child != null));
    return element;
  }

  function icon(name) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("aria-hidden", "true");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", ICONS[name]);
    svg.append(path);
    return svg;
  }

  const iconButton = (name, words, onclick) =>
    h("button", { type: "button", class: "icon", "aria-label": words, title: words, onclick }, icon(name));

  /* Paragraphs, lists and bold of an answer. U+E000 and U+E001 surround the numbers of its sources. */
  function formatted(text, cite) {
    const blocks = [];
    let list = null;
    for (const line of text.split("\n")) {
      const item = line.match(/^\s*(?:[-*•]|(\d+)[.)])\s+(.*)$/);
      if (item) {
        const tag = item[1] ? "ol" : "ul";
        if (!list || list.localName !== tag) blocks.push((list = h(tag, { start: item[1] })));
        list.append(h("li", {}, ...inline(item[2], cite)));
        continue;
      }
      list = null;
      const heading = line.match(/^#{1,6}\s+(.*)$/);
      if (heading) blocks.push(h("p", {}, h("strong", {}, ...inline(heading[1], cite))));
      else if (line.trim()) blocks.push(h("p", {}, ...inline(line, cite)));
    }
    return blocks;
  }

  const PIECES = /\*\*(.+?)\*\*|\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)|(https?:\/\/[^\s<>"«»]*[^\s<>"«».,;:!?)])|\ue000(\d+)\ue001/g;

  function inline(text, cite) {
    const nodes = [];
    let from = 0;
    for (const found of text.matchAll(PIECES)) {
      nodes.push(text.slice(from, found.index));
      from = found.index + found[0].length;
      if (found[1]) nodes.push(h("strong", {}, ...inline(found[1], cite)));
      else if (found[5]) nodes.push(cite ? cite(Number(found[5])) : "");
      else nodes.push(link(found[3] || found[4], found[2] || found[4]));
    }
    return [...nodes, text.slice(from)].filter((node) => node !== "" && node != null);
  }

  function link(address, words) {
    try {
      if (!/^https?:$/.test(new URL(address).protocol)) return words;
    } catch { return words; }
    return h("a", { href: address, target: "_blank", rel: "noopener noreferrer nofollow" }, words);
  }

  const where = (one) => [
    one.document_name, one.page_number && `${t.page} ${one.page_number}`, one.sheet && `${t.sheet} ${one.sheet}`, one.row && `${t.row} ${one.row}`,
  ].filter(Boolean).join(" · ");

  function bubble(message) {
    const box = h("div", { class: `msg ${message.role}`, "data-kept": Boolean(message.id) });
    if (message.role === "visitor") {
      box.append(message.text);
      return box;
    }
    if (message.role === "person") box.append(h("div", { class: "who" }, t.team));
    const byNumber = new Map((message.sources || []).map((one) => [one.number, one]));
    const open = (one) => (event) => showSource(message.id, one, event.currentTarget);
    const cite = (number) => {
      const one = byNumber.get(number);
      return one && h("button", {
        type: "button", class: "cite", "aria-label": `${t.source} ${number}: ${where(one)}`, title: where(one), onclick: open(one),
      }, `${number}`);
    };
    box.append(...formatted(message.text, cite));
    if (byNumber.size) {
      box.append(h("ul", { class: "from", "aria-label": t.sources }, ...[...byNumber.values()].map((one) =>
        h("li", {}, h("button", { type: "button", onclick: open(one) }, h("b", {}, `${one.number} `), where(one))))));
    }
    return box;
  }

  function add(element) {
    ui.log.append(element);
    ui.log.scrollTop = ui.log.scrollHeight;
    return element;
  }

  function show(messages) {
    for (const message of messages) {
      if (message.role === "visitor" && unnamed) unnamed--; /* drawn when it was sent */
      else add(bubble(message));
      last = message.id;
    }
    if (!ui.panel.hidden) keep({ read: last });
  }

  const searching = () => h("div", { class: "msg agent busy" }, h("i"), h("i"), h("i"), t.searching);

  function fault(words, retry) {
    const box = add(h("div", { class: "fault", role: "alert" }, words,
      h("button", { type: "button", onclick: () => { if (!busy) { box.remove(); retry(); } } }, t.retry)));
  }

  function state(person, answering = false) {
    withPerson = person;
    ui.waits.hidden = !person;
    ui.person.textContent = person ? t.agent : t.person;
    tell(answering);
    ui.log.scrollTop = ui.log.scrollHeight;
    poll();
  }

  /* Who answers here, and under the last message, where nobody has answered it yet, what becomes of it. */
  function tell(answering) {
    const said = [...ui.log.querySelectorAll("[data-kept]")], end = said[said.length - 1];
    const others = said.filter((one) => !one.matches(".visitor"));
    const answered = others.length && others[others.length - 1].matches(".person");
    ui.waits.textContent = answered ? t.attended : t.waiting;
    ui.sent.remove();
    if (!end || !end.matches(".visitor") || answering) return;
    const again = () => { if (!busy) { end.remove(); ask(end.textContent, true); ui.text.focus(); } };
    ui.sent.replaceChildren(...(withPerson ? [t.sent] : [t.left, " ", h("button", { type: "button", onclick: again }, t.ask)]));
    end.after(ui.sent);
  }

  function working(now) {
    busy = now;
    ui.send.disabled = now;
    ui.log.setAttribute("aria-busy", `${now}`);
  }

  /* A question, and its answer sentence by sentence as each is proven */

  async function ask(question, again = false) {
    if (busy || !question.trim()) return;
    ui.offers.remove();
    if (!withPerson) ui.sent.remove();
    const own = add(bubble({ role: "visitor", text: question }));
    const waiting = add(withPerson ? h("div") : searching());
    working(true);
    try {
      await ready;
      const answer = await send("/ask", { question, again, fresh: Boolean(memory.fresh) });
      keep({ fresh: false });
      if (!(await stream(answer, waiting, own))) await finished(waiting);
    } catch (error) {
      waiting.remove();
      if (error.wait <= LONGEST_WAIT) return later(error.wait, own, question, again);
      working(false);
      fault(error.message, () => { own.remove(); ask(question, true); }); /* an answer stands under its question */
    }
    working(false);
  }

  /* Too fast: it is sent when its time comes, unless a new conversation began meanwhile. */
  async function later(seconds, own, question, again) {
    const note = add(h("p", { class: "sent", role: "note" }, t.soon));
    await pause(seconds * 1000);
    note.remove();
    working(false);
    if (!own.isConnected) return;
    own.remove();
    await ask(question, again);
  }

  async function stream(answer, waiting, own) {
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "", ended = false;
    for (;;) {
      const { value, done } = await reader.read().catch(() => ({ done: true }));
      if (done) return ended;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) {
        const [, name, data] = block.match(/^event: (\w+)\ndata: (.*)$/s) || [];
        if (name) ended = heard(name, JSON.parse(data), waiting, own) || ended;
      }
    }
  }

  function heard(name, data, waiting, own) {
    if (name === "error") throw new Error(data.detail);
    if (name === "text") {
      waiting.className = "msg agent";
      waiting.replaceChildren(...formatted(data.text));
      ui.log.scrollTop = ui.log.scrollHeight;
    }
    if (name !== "answered") return false;
    waiting.remove();
    own.dataset.kept = "";
    unnamed = data.message ? 0 : unnamed + 1;
    if (data.message) show([data.message]);
    state(data.with_person);
    return true;
  }

  /* The answer goes on without us: after a lost connection or on another page of the site it is waited for. */
  async function finished(waiting) {
    for (let tries = 0; tries < 60; tries++) {
      const talk = await read("/messages").catch(() => null);
      if (talk && !talk.answering) {
        waiting.remove();
        redraw(talk);
        return;
      }
      await pause(1500);
    }
    throw new Error(t.lost);
  }

  function redraw(talk) {
    ui.log.replaceChildren(greeting());
    unnamed = 0;
    show(talk.messages);
    state(talk.with_person, talk.answering);
  }

  /* What a person of the team writes; looked for while one answers */

  function poll() {
    clearTimeout(timer);
    if (!withPerson) return;
    timer = setTimeout(async () => {
      if (!busy && !document.hidden) {
        const known = last;
        const talk = await read(`/messages${last ? `?after=${last}` : ""}`).catch(() => null);
        if (talk && !busy && last === known) {
          show(talk.messages);
          if (talk.messages.some((one) => one.role !== "visitor") && ui.panel.hidden) unread();
          if (talk.messages.length || talk.with_person !== withPerson) state(talk.with_person, talk.answering);
        }
      }
      poll();
    }, ui.panel.hidden ? 15000 : 4000);
  }

  function unread() {
    ui.dot.hidden = false;
    ui.launch.setAttribute("aria-label", `${t.open}: ${t.unread}`);
  }

  async function handOver() {
    if (busy) return;
    working(true);
    try {
      await ready;
      const talk = await read("/handoff", { person: !withPerson, language, fresh: Boolean(memory.fresh) });
      keep({ fresh: false });
      ui.offers.remove();
      redraw(talk);
      ui.text.focus(); /* else the space bar would press the button again */
    } catch (error) {
      fault(error.message, handOver);
    }
    working(false);
  }

  function restart() {
    keep({ fresh: true });
    last = null;
    unnamed = 0;
    closeSource();
    ui.log.replaceChildren(greeting());
    state(false);
    offer();
    ui.text.focus();
  }

  const greeting = () => h("div", { class: "msg agent" }, ...formatted(look.greeting || t.hello));

  async function offer() {
    if (!look.suggestions) return;
    const found = await read(`/suggestions?language=${language}`).catch(() => []);
    if (last || busy || !found.length) return;
    ui.offers.replaceChildren(...found.map((question) =>
      h("li", {}, h("button", { type: "button", onclick: () => { ask(question); ui.text.focus(); } }, question))));
    add(ui.offers);
  }

  /* The source of a claim */

  let opener = null;

  async function showSource(messageId, one, from) {
    opener = from;
    const at = `/passages/${messageId}/${one.claim}/${one.quote}`;
    const body = h("div", { "aria-live": "polite" }, h("p", { class: "place" }, t.loading));
    const back = h("button", { type: "button", class: "plain top", onclick: closeSource }, `‹ ${t.back}`);
    ui.source.replaceChildren(back, h("h3", {}, one.document_name), body);
    ui.source.hidden = false;
    ui.talk.hidden = ui.log.hidden = true;
    ui.source.scrollTop = 0;
    back.focus();
    try {
      const seen = await read(at);
      const near = seen.view === "page" ? 200 : 400;
      body.replaceChildren(h("p", { class: "place" }, place(one.document_name, seen)), seen.grid ? grid(seen.grid) : h("p", { class: "quote" },
        ending(bare(seen.before), near), h("mark", {}, bare(seen.text)), beginning(bare(seen.after), near)));
      const marked = body.querySelector("mark,tr.on");
      if (marked) marked.scrollIntoView({ block: "center", inline: "nearest" });
      if (seen.view === "page") for (const page of seen.pages) await picture(`${at}/page.png?page=${page.page_number}`, body);
    } catch (error) {
      body.replaceChildren(h("p", { class: "fault", role: "alert" }, t.gone));
    }
  }

  /* The title, headings, page or row: each once, and not what the document's name says. */
  function place(name, seen) {
    const plain = (text) => text.normalize("NFD").replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();
    const said = new Map(seen.place.filter((part) => part !== seen.sheet).map((part) => [plain(part), part]));
    const parts = [...said].filter(([words]) => words && !plain(name).startsWith(words)).map(([, part]) => part);
    return [...parts, where({ ...seen, document_name: "" })].filter(Boolean).join(" › ");
  }

  /* About so many characters of a text, in whole words. */
  const beginning = (text, most) => (text.length > most ? `${text.slice(0, most).replace(/\s+\S*$/, "")} …` : text);
  const ending = (text, most) => (text.length > most ? `… ${text.slice(-most).replace(/^\S*\s+/, "")}` : text);

  const bare = (text) => text.replace(/^#{1,6} /gm, "").replace(/\*\*/g, "");

  function grid(rows) {
    const cells = (tag, values) => values.map((value) => h(tag, tag === "th" ? { scope: "col" } : {}, value));
    return h("div", { class: "grid", tabindex: "0", role: "region", "aria-label": t.source }, h("table", {},
      h("thead", {}, h("tr", {}, ...cells("th", rows.columns))),
      h("tbody", {}, ...rows.rows.map((row) => h("tr", { class: row.marked && "on" }, ...cells("td", row.cells))))));
  }

  /* On a canvas, which no policy of the page about pictures concerns. */
  async function picture(path, body) {
    try {
      const bitmap = await createImageBitmap(await (await send(path)).blob());
      const canvas = h("canvas", { role: "img", "aria-label": t.picture, width: bitmap.width, height: bitmap.height });
      canvas.getContext("2d").drawImage(bitmap, 0, 0);
      body.append(canvas);
    } catch { /* the text is there */ }
  }

  function closeSource() {
    if (ui.source.hidden) return;
    ui.source.hidden = true;
    ui.talk.hidden = ui.log.hidden = false;
    if (opener && opener.isConnected) opener.focus();
  }

  /* Opening and closing */

  async function open(focus = true) {
    ui.panel.hidden = false;
    ui.launch.hidden = true;
    ui.dot.hidden = true;
    keep({ open: true });
    if (focus) ui.text.focus();
    ui.log.scrollTop = ui.log.scrollHeight;
    if (last) keep({ read: last });
    ready = ready || begin();
    await ready.catch(() => {});
    if (withPerson) poll();
  }

  function close() {
    ui.panel.hidden = true;
    ui.launch.hidden = false;
    ui.launch.setAttribute("aria-label", t.open);
    ui.launch.focus();
    keep({ open: false });
  }

  /* The visitor's session and what was said before. */
  async function begin() {
    const known = Boolean(memory.token) && !memory.fresh;
    try {
      await session();
      const talk = known ? await read("/messages") : { messages: [] };
      if (talk.messages.length) redraw(talk);
      else offer();
      if (talk.answering) {
        working(true);
        await finished(add(searching())).finally(() => working(false));
      }
    } catch (error) {
      ready = null;
      fault(error.message, () => open());
      throw error;
    }
  }

  function keys(event) {
    if (event.key === "Escape") {
      event.stopPropagation();
      if (ui.source.hidden) close();
      else closeSource();
    }
    if (event.key !== "Tab") return;
    const all = [...ui.panel.querySelectorAll("button:not(:disabled),textarea,a[href],[tabindex='0']")].filter((one) => one.offsetParent !== null || one.getClientRects().length);
    const now = ui.root.getRootNode().activeElement;
    const edge = event.shiftKey ? all[0] : all[all.length - 1];
    if (now !== edge && all.includes(now)) return;
    event.preventDefault();
    (event.shiftKey ? all[all.length - 1] : all[0]).focus();
  }

  function draw() {
    ui = {};
    ui.dot = h("span", { class: "dot", hidden: true });
    ui.launch = h("button", { type: "button", class: "launch", "aria-label": t.open, title: t.open, "aria-haspopup": "dialog", onclick: () => open() }, icon("chat"), ui.dot);
    ui.log = h("div", { class: "log", role: "log", "aria-live": "polite", "aria-label": t.chat, tabindex: "0" }, greeting());
    ui.offers = h("ul", { class: "offers", "aria-label": t.more });
    ui.sent = h("p", { class: "sent" });
    ui.text = h("textarea", {
      rows: "1", maxlength: "2000", "aria-label": t.write, placeholder: t.write,
      oninput: () => { keep({ draft: ui.text.value }); grow(); },
      onkeydown: (event) => { if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); submit(); } },
    });
    ui.text.value = memory.draft || "";
    ui.send = h("button", { type: "submit", class: "send", "aria-label": t.send, title: t.send }, icon("send"));
    ui.person = h("button", { type: "button", class: "plain", onclick: handOver }, t.person);
    ui.waits = h("p", { class: "note", role: "status", hidden: true }, t.waiting);
    ui.talk = h("div", { class: "foot" }, ui.waits, h("form", { onsubmit: (event) => { event.preventDefault(); submit(); } }, ui.text, ui.send), ui.person);
    ui.source = h("div", { class: "source", hidden: true });
    ui.panel = h("div", { class: "panel", role: "dialog", "aria-modal": "true", "aria-label": look.title, hidden: true, onkeydown: keys },
      h("div", { class: "head" }, h("h2", {}, look.title), iconButton("again", t.again, restart), iconButton("close", t.close, close)),
      ui.log, ui.source, ui.talk);
    ui.root = h("div", { class: `root ${look.position}`, role: "region", "aria-label": look.title, lang: language }, ui.launch, ui.panel);
    ui.root.style.setProperty("--accent", look.colour);
    ui.root.style.setProperty("--ink", look.ink);
  }

  function grow() {
    ui.text.style.height = "auto";
    ui.text.style.height = `${ui.text.scrollHeight + 2}px`;
  }

  function submit() {
    const question = ui.text.value;
    if (busy || !question.trim()) return;
    ui.text.value = "";
    keep({ draft: "" });
    grow();
    ask(question);
  }

  async function start() {
    try {
      look = await read(preview ? `?preview=${encodeURIComponent(preview)}` : "");
    } catch (error) {
      console.info(`Veraz: the assistant is not shown here. Is it switched on, and is ${location.origin} among its allowed websites? ${error.message}`);
      return;
    }
    const wanted = look.language === "auto" ? document.documentElement.lang || navigator.language || "" : look.language;
    language = wanted.toLowerCase().startsWith("en") ? "en" : "es";
    t = WORDS[language];
    const host = document.createElement("veraz-widget");
    host.style.cssText = "all:initial!important;position:relative!important;z-index:2147483000!important;display:block!important";
    const shadow = host.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(CSS);
    shadow.adoptedStyleSheets = [sheet];
    draw();
    shadow.append(ui.root);
    (document.body || document.documentElement).append(host);
    if (memory.open && memory.token && matchMedia("(min-width:521px)").matches) open(false);
    else if (memory.token && !memory.fresh) quietly();
  }

  /* Closed, but a person of the team may have answered since. */
  async function quietly() {
    const talk = await read("/messages").catch(() => null);
    if (!talk || !talk.with_person || ready) return;
    ready = Promise.resolve();
    redraw(talk);
    const end = talk.messages[talk.messages.length - 1];
    if (end && end.role === "person" && memory.read !== end.id) unread();
  }

  start();
})();
