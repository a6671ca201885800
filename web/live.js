// Keeps the page of a running training up to date: every event holds its sections, and those that
// changed are put in place of the old ones.

const main = document.querySelector('main');
const navigation = document.querySelector('nav');
const connection = document.getElementById('connection');
const title = document.getElementById('title');
const subtitle = document.getElementById('subtitle');
const shown = new Map();

// What a reader has opened, how far a chart is scrolled, and where the focus is, survives.
function replaceSection(id, html) {
  const holder = document.createElement('template');
  holder.innerHTML = html;
  const fresh = holder.content.firstElementChild;
  const old = document.getElementById(id);
  if (!old) {
    main.append(fresh);
    return;
  }
  const opened = [...old.querySelectorAll('details')].map((details) => details.open);
  [...fresh.querySelectorAll('details')].forEach((details, i) => {
    details.open = opened[i] ?? details.open;
  });
  const focused = old.contains(document.activeElement) ? document.activeElement.id : '';
  const scrolled = [...old.querySelectorAll('.scroll')].map((holder) => holder.scrollLeft);
  old.replaceWith(fresh);
  [...fresh.querySelectorAll('.scroll')].forEach((holder, i) => {
    if (scrolled[i]) holder.scrollLeft = scrolled[i];
  });
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

function show(data) {
  title.textContent = data.title;
  subtitle.textContent = data.subtitle;
  document.title = data.title;
  if (shown.get('') !== data.navigation) {
    navigation.innerHTML = data.navigation;
    shown.set('', data.navigation);
  }
  const ids = new Set(data.sections.map((section) => section.id));
  for (const id of shown.keys()) {
    if (id && !ids.has(id)) {
      document.getElementById(id)?.remove();
      shown.delete(id);
    }
  }
  for (const { id, html } of data.sections) {
    if (shown.get(id) !== html) {
      replaceSection(id, html);
      shown.set(id, html);
    }
  }
  main.dataset.step = String(data.now.step ?? 0);
}

function keepOrder(data) {
  for (const { id } of data.sections) {
    const section = document.getElementById(id);
    if (section && section !== main.lastElementChild) main.append(section);
  }
}

function showConnection(state) {
  connection.textContent = connection.dataset[state];
  connection.className = state;
}

let ended = false;
const events = new EventSource(`events${location.search}`);
events.onmessage = (event) => {
  const data = JSON.parse(event.data);
  const before = [...main.children].map((section) => section.id).join();
  show(data);
  const wanted = data.sections.map((section) => section.id).join();
  if (before !== wanted) keepOrder(data);
  ended = data.now.ending !== null;
  showConnection(ended ? 'ended' : 'on');
};
events.onerror = () => {
  if (ended) events.close(); // there is nothing to come
  else showConnection('off');
};
