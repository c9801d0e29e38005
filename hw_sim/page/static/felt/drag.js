// Chips can be dragged: with a mouse, a pen or a finger, from the edge of the table to a spot, or off again.
const FAR_PX = 8;

/** Makes the chips of the rail draggable; `drop(chip, seat, spot)` is called where one is let go over a spot. */
export function draggable(root, ghost, drop) {
  let held = null;

  root.addEventListener('pointerdown', (event) => {
    const chip = event.target.closest('[data-drag]');
    if (!chip || chip.disabled || event.button !== 0) return;
    held = { id: event.pointerId, x: event.clientX, y: event.clientY, cents: Number(chip.dataset.drag), chip, far: false };
  });

  addEventListener('pointermove', (event) => {
    if (!held || event.pointerId !== held.id) return;
    if (!held.far && Math.hypot(event.clientX - held.x, event.clientY - held.y) < FAR_PX) return;
    if (!held.far) {
      held.far = true;
      ghost.dataset.chip = String(held.cents);
      ghost.textContent = held.chip.textContent.trim();
      ghost.hidden = false;
    }
    ghost.style.setProperty('--x', `${event.clientX}px`);
    ghost.style.setProperty('--y', `${event.clientY}px`);
    const over = spotAt(event);
    for (const spot of root.querySelectorAll('.spot.over')) if (spot !== over) spot.classList.remove('over');
    over?.classList.add('over');
  });

  addEventListener('pointerup', (event) => {
    if (!held || event.pointerId !== held.id) return;
    const { far, cents } = held;
    end();
    const spot = far && spotAt(event);
    if (spot) drop(cents, Number(spot.dataset.seat), spot.dataset.spot);
  });
  addEventListener('pointercancel', (event) => { if (held && event.pointerId === held.id) end(); });

  function end() {
    held = null;
    ghost.hidden = true;
    for (const spot of root.querySelectorAll('.spot.over')) spot.classList.remove('over');
  }
}

function spotAt(event) {
  return document.elementFromPoint(event.clientX, event.clientY)?.closest('[data-spot]') ?? null;
}
