// Makes the page of a run answer: copies fixes, switches colours, reads charts out. Everything is
// on the page without it.

function copyText(button) {
  const text = button.dataset.copy;
  const done = () => button.classList.add('done');
  if (navigator.clipboard) {
    navigator.clipboard.writeText(text).then(done, () => selectBeside(button));
  } else {
    selectBeside(button);
  }
}

// Where the clipboard is not allowed, the text is at least selected for Ctrl+C.
function selectBeside(button) {
  const code = button.parentElement.querySelector('code');
  if (code) getSelection().selectAllChildren(code);
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

function nameTheme(button) {
  button.textContent = isDark() ? button.dataset.light : button.dataset.dark;
}

// A chart's cursor stands on a row of its table; the row is what is read.
function rowsOf(figure) {
  return [...figure.querySelectorAll('tr[data-x]')];
}

function showRow(figure, index) {
  const rows = rowsOf(figure);
  if (rows.length === 0) return;
  const at = Math.max(0, Math.min(rows.length - 1, index));
  figure.dataset.row = String(at);
  const x = rows[at].dataset.x;
  const cursor = figure.querySelector('.cursor');
  cursor.setAttribute('x1', x);
  cursor.setAttribute('x2', x);
  cursor.classList.add('on');
  const names = [...figure.querySelectorAll('tr:first-child th')].map((cell) => cell.textContent);
  const cells = [...rows[at].cells].map((cell, i) => `${names[i]} ${cell.textContent}`);
  figure.querySelector('.reading').textContent = cells.join(' · ');
}

function nearestRow(figure, plot, clientX) {
  const box = plot.getBoundingClientRect();
  const x = ((clientX - box.left) / box.width) * plot.viewBox.baseVal.width;
  const rows = rowsOf(figure);
  let best = 0;
  rows.forEach((row, i) => {
    if (Math.abs(row.dataset.x - x) < Math.abs(rows[best].dataset.x - x)) best = i;
  });
  return best;
}

function onKey(event) {
  const plot = event.target.closest?.('.plot');
  const figure = plot?.closest('figure');
  if (!figure) return;
  const at = Number(figure.dataset.row ?? -1);
  const targets = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: Infinity };
  if (event.key in targets) {
    event.preventDefault();
    showRow(figure, targets[event.key]);
  }
}

function onPointer(event) {
  const plot = event.target.closest?.('.plot');
  const figure = plot?.closest('figure');
  if (figure) showRow(figure, nearestRow(figure, plot, event.clientX));
}

document.addEventListener('keydown', onKey);
document.addEventListener('pointermove', onPointer);
document.addEventListener('click', (event) => {
  const copy = event.target.closest?.('.copy');
  if (copy) copyText(copy);
});

const theme = document.getElementById('theme');
if (theme) {
  nameTheme(theme);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => nameTheme(theme));
  theme.addEventListener('click', () => {
    document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
    nameTheme(theme);
  });
}
