/** A counter of rolling digits for an amount of money. It never shows more than it was told. */

const ROLL_MS = 2200; // An amount that arrives while another rolls waits for its end: both together stay below 5 s.
const LARGEST_STRETCH = 2.3;
const ROW_EM = 0.9; // How high the window of a digit is; `.odometer` in sign.css has the same.
const INK_EM = 0.82; // How much of that holds ink, with the tail of a comma.

/** Whether (boot, seq) of one picture comes after that of another. */
function later(one, other) {
  return one.boot > other.boot || (one.boot === other.boot && one.seq > other.seq);
}

/** A soft start and a soft end; never below 0, never above 1, never falling. */
function eased(part) {
  return part < 0.5 ? 2 * part * part : 1 - 2 * (1 - part) * (1 - part);
}

/**
 * The wheels of one amount in `box`. `write(cents)` is the amount as text, `digits` the ten digits of the
 * locale; a `still` counter does not roll; `least` is the least height of its digits as a part of the screen's.
 */
export class Odometer {
  constructor(box, { write, digits, still = () => false, least = 0.18 }) {
    Object.assign(this, { box, write, digits, still, least });
    this.row = document.createElement("span");
    this.row.className = "odometer-row";
    this.row.setAttribute("aria-hidden", "true");
    box.append(this.row);
    this.strip = [...digits, digits[0]].join("\n");
    this.told = null; // The newest {boot, seq, cents}.
    this.value = 0; // What the wheels show, in cents and parts of a cent.
    this.roll = null; // {from, to, since}
    this.shape = "";
    this.wheels = [];
    this.frame = 0;
    new ResizeObserver(() => this.fit()).observe(box);
    document.fonts.ready.then(() => this.fit());
    document.fonts.addEventListener("loadingdone", () => this.fit());
    document.addEventListener("visibilitychange", () => this.settle());
  }

  /** A committed amount. The answer is whether the counter went down by it. */
  tell({ boot, seq, cents }) {
    const before = this.told;
    if (before && !later({ boot, seq }, before)) return false;
    this.told = { boot, seq, cents };
    this.box.setAttribute("aria-label", this.write(cents));
    const fell = before !== null && cents < before.cents;
    if (before === null || fell || this.still() || document.hidden) this.settle();
    else if (!this.roll && cents > this.value) this.start(performance.now());
    return fell;
  }

  /** The wheels jump to the amount that was told last. */
  settle() {
    this.roll = null;
    if (this.told) this.show(this.told.cents);
  }

  start(now) {
    this.roll = { from: this.value, to: this.told.cents, since: now };
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame((at) => this.turn(at));
  }

  turn(now) {
    if (!this.roll) return;
    const { from, to, since } = this.roll;
    const part = Math.min(1, Math.max(0, (now - since) / ROLL_MS));
    this.show(part < 1 ? Math.min(to, from + (to - from) * eased(part)) : to);
    if (part < 1) {
      this.frame = requestAnimationFrame((at) => this.turn(at));
    } else {
      this.roll = null;
      if (this.told.cents > this.value) this.start(now);
    }
  }

  show(value) {
    this.value = value;
    const whole = Math.floor(value);
    this.box.dataset.cents = String(whole);
    this.lay(this.write(whole));
    // From the right: a wheel moves on while every wheel to its right goes from nine to zero.
    let carry = value - whole;
    let rest = whole;
    for (let place = this.wheels.length - 1; place >= 0; place -= 1) {
      const digit = rest % 10;
      rest = (rest - digit) / 10;
      const at = (digit + carry).toFixed(3);
      carry = digit === 9 ? carry : 0;
      const wheel = this.wheels[place];
      if (wheel.at !== at) {
        wheel.at = at;
        wheel.strip.style.setProperty("--at", at);
      }
    }
  }

  /** A window for each digit of the text, and what stands between and beside them as it is. */
  lay(text) {
    const isDigit = (sign) => this.digits.includes(sign);
    const parts = text.match(/\p{Nd}|\P{Nd}+/gu) ?? [];
    const shape = parts.map((part) => (isDigit(part) ? "0" : part)).join("");
    if (shape === this.shape) return;
    this.shape = shape;
    const last = parts.length - 1;
    this.wheels = [];
    this.row.replaceChildren(...parts.map((part, place) => {
      const piece = document.createElement("span");
      if (isDigit(part)) {
        const strip = document.createElement("span");
        piece.className = "wheel";
        strip.className = "strip";
        strip.textContent = this.strip;
        piece.append(strip);
        this.wheels.push({ strip, at: "" });
      } else {
        piece.className = place === 0 || place === last ? "unit" : "mark";
        piece.textContent = part.trim();
      }
      return piece;
    }));
    this.fit();
  }

  /** As large as the box allows; too narrow a box makes the digits slender before it makes them small. */
  fit() {
    const { clientWidth, clientHeight } = this.box;
    if (!this.shape || clientWidth === 0) return;
    const { style } = this.row;
    style.setProperty("--size", "100px");
    style.setProperty("--stretch", "1");
    const naturalPx = this.row.offsetWidth;
    const size = Math.min((100 * clientWidth) / naturalPx, clientHeight / ROW_EM);
    const wanted = (this.least * window.innerHeight) / (size * this.glyphEm());
    const stretch = Math.max(1, Math.min(wanted, LARGEST_STRETCH, clientHeight / (size * INK_EM)));
    style.setProperty("--size", `${size.toFixed(2)}px`);
    style.setProperty("--stretch", stretch.toFixed(3));
    this.box.dataset.digitPx = (size * stretch * this.glyphEm()).toFixed(1);
  }

  /** The height of a digit's ink, in parts of the font size. */
  glyphEm() {
    const pen = document.createElement("canvas").getContext("2d");
    const { fontFamily, fontWeight } = getComputedStyle(this.row);
    pen.font = `${fontWeight} 100px ${fontFamily}`;
    const ink = pen.measureText(this.digits[1]);
    return (ink.actualBoundingBoxAscent + ink.actualBoundingBoxDescent) / 100;
  }
}
