// Asks the server for speech and plays it while it is made: raw samples, scheduled one chunk behind
// the other, drawn as they come.

const rate = 24000;  // of the samples that the server sends as `pcm`
const form = document.getElementById('ask');
const status = document.getElementById('status');
const canvas = document.getElementById('wave');
const stopButton = document.getElementById('stop');
const speakButton = document.getElementById('speak');
const save = document.getElementById('save');
const speed = document.getElementById('speed');
const token = new URLSearchParams(location.search).get('token');
const language = document.documentElement.lang;
const numbers = (value, digits) => value.toLocaleString(language === 'fa' ? 'fa' : 'en', {
  minimumFractionDigits: digits, maximumFractionDigits: digits });
const seconds = (value, digits = 2) => `${numbers(value, digits)} ${language === 'fa' ? 'ثانیه' : 's'}`;
const milliseconds = (value) =>
  `${numbers(Math.round(value), 0)} ${language === 'fa' ? 'میلی‌ثانیه' : 'ms'}`;

let player = null;      // the context that is heard
let request = null;     // to be given up
let samples = [];       // what has come, in chunks

function say(word, isError = false) {
  status.textContent = word;
  status.classList.toggle('error', isError);
}

// The loudest of every column, mirrored.
function draw() {
  const context = canvas.getContext('2d');
  const { width, height } = canvas;
  context.clearRect(0, 0, width, height);
  const total = samples.reduce((sum, chunk) => sum + chunk.length, 0);
  if (!total) return;
  const peaks = new Float32Array(width);
  let at = 0;
  for (const chunk of samples) {
    for (const sample of chunk) {
      const column = Math.min(width - 1, Math.floor(at * width / Math.max(total, rate)));
      peaks[column] = Math.max(peaks[column], Math.abs(sample));
      at += 1;
    }
  }
  context.fillStyle = getComputedStyle(speakButton).backgroundColor;
  for (let x = 0; x < width; x += 1) {
    const half = Math.max(0.5, peaks[x] * height / 2);
    context.fillRect(x, height / 2 - half, 1, 2 * half);
  }
}

function toFloats(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const floats = new Float32Array(bytes.byteLength / 2);
  for (let i = 0; i < floats.length; i += 1) floats[i] = view.getInt16(2 * i, true) / 32768;
  return floats;
}

function toWav() {
  const total = samples.reduce((sum, chunk) => sum + chunk.length, 0);
  const view = new DataView(new ArrayBuffer(44 + 2 * total));
  const text = (at, word) => [...word].forEach((c, i) => view.setUint8(at + i, c.charCodeAt(0)));
  text(0, 'RIFF'); view.setUint32(4, 36 + 2 * total, true); text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true); view.setUint16(20, 1, true); view.setUint16(22, 1, true);
  view.setUint32(24, rate, true); view.setUint32(28, 2 * rate, true);
  view.setUint16(32, 2, true); view.setUint16(34, 16, true);
  text(36, 'data'); view.setUint32(40, 2 * total, true);
  let at = 44;
  for (const chunk of samples) {
    for (const sample of chunk) {
      view.setInt16(at, Math.round(sample * 32768), true);
      at += 2;
    }
  }
  return new Blob([view], { type: 'audio/wav' });
}

class Playback {
  constructor() {
    this.context = new AudioContext({ sampleRate: rate });
    this.next = 0;
  }

  add(floats) {
    const buffer = this.context.createBuffer(1, floats.length, rate);
    buffer.copyToChannel(floats, 0);
    const source = this.context.createBufferSource();
    source.buffer = buffer;
    source.connect(this.context.destination);
    this.next = Math.max(this.next, this.context.currentTime + 0.02);
    source.start(this.next);
    this.next += buffer.duration;
    this.last = source;
  }

  close() {
    if (this.context.state !== 'closed') this.context.close();
  }
}

function showTimes(begin, first, length) {
  const work = (performance.now() - begin) / 1000;
  document.getElementById('times').hidden = false;
  document.getElementById('first').textContent = milliseconds(first);
  document.getElementById('length').textContent = seconds(length);
  document.getElementById('work').textContent = seconds(work);
  document.getElementById('factor').textContent = numbers(work / length, 3);
}

async function ask() {
  return fetch('v1/audio/speech', {
    method: 'POST',
    signal: request.signal,
    headers: { 'Content-Type': 'application/json', 'Accept-Language': language,
      ...(token ? { Authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify({ model: 'page', input: document.getElementById('text').value,
      voice: document.getElementById('voice').value, speed: Number(speed.value),
      response_format: 'pcm' }),
  });
}

async function play(response, begin) {
  const reader = response.body.getReader();
  let first = null;
  let length = 0;
  let rest = new Uint8Array(0);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (first === null) {
      first = performance.now() - begin;
      say(status.dataset.speaking);
    }
    const bytes = new Uint8Array(rest.length + value.length);
    bytes.set(rest);
    bytes.set(value, rest.length);
    const even = bytes.length - bytes.length % 2;
    rest = bytes.slice(even);
    if (!even) continue;
    const floats = toFloats(bytes.slice(0, even));
    samples.push(floats);
    length += floats.length / rate;
    player.add(floats);
    draw();
    showTimes(begin, first, length);
  }
  save.href = URL.createObjectURL(toWav());
  save.hidden = false;
}

function setBusy(busy) {
  speakButton.disabled = busy;
  stopButton.disabled = !busy;
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  player?.close();
  player = new Playback();
  request = new AbortController();
  samples = [];
  save.hidden = true;
  setBusy(true);
  say(status.dataset.waiting);
  const begin = performance.now();
  try {
    const response = await ask();
    if (!response.ok) {
      const problem = await response.json().catch(() => null);
      say(problem?.error?.message ?? `${response.status}`, true);
      setBusy(false);
      return;
    }
    await play(response, begin);
    const mine = player;
    const ended = () => {
      if (player === mine) {
        say(status.dataset.done);
        setBusy(false);
      }
    };
    if (mine.last) mine.last.onended = ended; else ended();
  } catch (error) {
    say(error.name === 'AbortError' ? status.dataset.stopped : status.dataset.lost,
      error.name !== 'AbortError');
    setBusy(false);
  }
});

stopButton.addEventListener('click', () => {
  request?.abort();
  player?.close();
  setBusy(false);
  say(status.dataset.stopped);
});

document.getElementById('text').addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});

function showSpeed() {
  document.getElementById('speed-value').textContent = `${numbers(Number(speed.value), 2)}×`;
}
speed.addEventListener('input', showSpeed);
showSpeed();
draw();
