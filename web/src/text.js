// Numbers, and elements of text.
const number = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3, notation: "compact" });

export const whole = (n) => number.format(Math.round(n));
export const brief = (n) => short.format(n);
export const many = (n, what) => `${number.format(n)} ${what}${n === 1 ? "" : what.endsWith("h") ? "es" : "s"}`;

export function element(id) {
  return document.getElementById(id);
}

export function made(tag, className, text) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  if (text !== undefined) e.textContent = text;
  return e;
}

// span describes the bounds of a count in words.
export function span({ low, high, certain }) {
  if (low === high) return "exactly";
  return `between ${whole(low)} and ${whole(high)}${certain ? ", for certain" : " in 95 of 100 cases"}`;
}

// metres returns a length in metres or kilometres, as text.
export function metres(m) {
  return m < 1000 ? `${brief(m)} m` : `${brief(m / 1000)} km`;
}

// sqlBox shows the SQL of a result with a button to copy it. Without SQL, it returns an empty text.
export function sqlBox(sql) {
  if (!sql) return "";
  const details = made("details");
  details.append(made("summary", "", "SQL"), made("pre", "", sql));
  const copy = details.appendChild(made("button", "", "Copy"));
  copy.addEventListener("click", async () => {
    await copied(sql);
    copy.textContent = "Copied";
  });
  return details;
}

// copied copies a text to the clipboard. Pages that were loaded over http from another machine have only the
// older way, execCommand.
export async function copied(text) {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return;
    } catch {
      // The browser may forbid the clipboard to this page. Then the older way is tried.
    }
  }
  const area = document.body.appendChild(made("textarea", "copied", text));
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("The browser does not let the page copy: select the text and copy it yourself.");
}

// save downloads a file.
export function save(name, blob) {
  const a = made("a");
  a.href = URL.createObjectURL(blob);
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10_000);
}
