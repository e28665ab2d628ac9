// Drawing: elements, cards as SVG, stacks of cards. Nothing here knows a rule.
const SVG = "http://www.w3.org/2000/svg";
const RED = new Set(["h", "d"]);
const COURT = new Set(["J", "Q", "K"]);
const SIDES = [35, 65];
const COLUMNS = { 4: [30, 110], 5: [30, 110], 6: [30, 70, 110], 7: [30, 70, 110], 8: [30, 70, 110] };
const TALL = [28, 56, 84, 112];
const CENTRE = { 2: [30, 110], 3: [30, 70, 110], 5: [70], 7: [50], 8: [50, 90], 9: [70], 10: [42, 98] };
const ROBES = { h: "#b3122b", d: "#c2571a", s: "#24427c", c: "#2b5f45" };

function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") made.className = value;
    else if (name in made && !name.startsWith("aria")) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

function shape(tag, attributes, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function glyph(name, x, y, size, isTurned = false) {
  const place = { href: `#${name}`, x: x - size / 2, y: y - size / 2, width: size, height: size };
  return shape("use", isTurned ? { ...place, transform: `rotate(180 ${x} ${y})` } : place);
}

function pipPlaces(rank) {
  const rows = rank > 8 ? TALL : COLUMNS[rank] || [];
  const places = rows.flatMap((y) => SIDES.map((x) => [x, y]));
  return places.concat((CENTRE[rank] || []).map((y) => [50, y]));
}

function pips(card) {
  return pipPlaces(Number(card.rank)).map(([x, y]) => glyph(`suit_${card.suit}`, x, y, 20, y > 70));
}

// A king, queen or jack from the waist up: robe, collar, hair, head, crown or cap.
function figure(card) {
  const robe = ROBES[card.suit];
  const parts = [
    shape("path", { d: "M24 70c1-17 11-23 26-23s25 6 26 23z", fill: robe }),
    shape("path", { d: "M37 48l13 22 13-22-13 6z", fill: "#f6e3a1" }),
    shape("path", { d: "M45 70l5-13 5 13z", fill: "#ffffff" }),
    shape("circle", { cx: 32, cy: 62, r: 3, fill: "#f0c64a" }), shape("circle", { cx: 68, cy: 62, r: 3, fill: "#f0c64a" }),
  ];
  const hair = { K: "M40 37v10c0 8 20 8 20 0V37z", Q: "M38 36c-3 10-3 15 1 17h22c4-2 4-7 1-17z", J: "M40 35c-2 8-1 11 1 12h18c2-1 3-4 1-12z" };
  parts.push(shape("path", { d: hair[card.rank], fill: card.rank === "K" ? "#6b6f76" : card.rank === "Q" ? "#7a4a1e" : "#c08a35" }));
  parts.push(shape("ellipse", { cx: 50, cy: 39, rx: 8.5, ry: 10, fill: "#f5d6b6" }));
  if (card.rank === "K") parts.push(shape("path", { d: "M42 42c1 11 15 11 16 0-3 3-5 2-8 2s-5 1-8-2z", fill: "#6b6f76" }));
  for (const x of [46.5, 53.5]) parts.push(shape("circle", { cx: x, cy: 38, r: 1.1, fill: "#222222" }));
  parts.push(shape("path", { d: "M47 44.500q3 1.800 6 0", fill: "none", stroke: "#a3122b", "stroke-width": 1.3 }));
  if (card.rank === "J") parts.push(shape("path", { d: "M39 31c2-9 20-9 22 0zM58 27c5-2 7-6 6-9-5 0-8 4-8 8z", fill: robe }));
  else parts.push(shape("use", { href: "#crown", x: 37, y: 17, width: 26, height: 15, fill: "#e3aa22" }));
  return parts;
}

function court(card) {
  const half = (isTurned) => {
    const group = shape("g", isTurned ? { transform: "rotate(180 50 70)" } : {});
    group.append(...figure(card), glyph(`suit_${card.suit}`, 31, 26, 11));
    return group;
  };
  return [shape("rect", { x: 23, y: 15, width: 54, height: 110, rx: 5, class: "frame" }), half(false), half(true),
    shape("rect", { x: 23, y: 69, width: 54, height: 2, fill: "#e3aa22" })];
}

function face(card) {
  const hasSuit = card.suit !== null && /^[cdhs]$/.test(card.suit);
  if (card.label === "joker") {
    return [glyph("star", 50, 66, 52), shape("text", { x: 50, y: 116, class: "small" }, "JOKER")];
  }
  if (!hasSuit) {
    return [shape("rect", { x: 23, y: 28, width: 54, height: 84, rx: 6, class: "frame" }), shape("text", { x: 50, y: 87, class: "big" }, card.rank)];
  }
  if (COURT.has(card.rank)) return court(card);
  if (card.rank === "A") return [glyph(`suit_${card.suit}`, 50, 70, 50)];
  return card.rank <= 10 ? pips(card) : [shape("text", { x: 50, y: 88, class: "big" }, card.rank)];
}

function corner(card, isTurned) {
  const group = shape("g", isTurned ? { transform: "rotate(180 50 70)" } : {});
  const rank = card.label === "joker" ? "★" : card.rank;
  group.append(shape("text", { x: 12.500, y: 23, class: rank.length > 1 ? "index narrow" : "index" }, rank));
  if (card.suit !== null && /^[cdhs]$/.test(card.suit)) group.append(glyph(`suit_${card.suit}`, 12.500, 33, 13));
  else if (card.suit !== null) group.append(shape("text", { x: 12, y: 36, class: "small" }, card.suit));
  return group;
}

// A card face-up, or its back for null; the words are for screen readers unless `isSilent`.
function cardPicture(card, isSilent = false) {
  const kind = card === null ? "back" : RED.has(card.suit) || card.label === "joker" ? "red" : "black";
  const picture = shape("svg", { viewBox: "0 0 100 140", class: `card ${kind}` });
  if (isSilent) picture.setAttribute("aria-hidden", "true");
  else {
    picture.setAttribute("role", "img");
    picture.setAttribute("aria-label", card === null ? "face-down card" : card.label);
  }
  picture.append(shape("rect", { x: 1, y: 1, width: 98, height: 138, rx: 9, class: "paper" }));
  if (card === null) picture.append(...backing());
  else picture.append(...face(card), corner(card, false), corner(card, true));
  return picture;
}

function backing() {
  const parts = [shape("rect", { x: 7, y: 7, width: 86, height: 126, rx: 6, class: "weave" })];
  for (let y = 24; y < 130; y += 23) {
    for (let x = 22; x < 90; x += 28) {
      parts.push(shape("path", { d: `M${x} ${y - 9}l8 9-8 9-8-9z`, class: "knot" }));
    }
  }
  return parts;
}

// A stack of cards with its number and name; nothing for an empty one.
function stack(count, name) {
  const depth = Math.min(3, Math.ceil(count / 9));
  const cards = Array.from({ length: depth }, () => cardPicture(null, true));
  const heap = element("div", { class: count ? "heap" : "heap empty", "aria-hidden": "true" }, ...cards);
  return element("div", { class: "stack" }, heap, element("span", { class: "count" }, String(count)),
    element("span", { class: "what" }, name));
}
