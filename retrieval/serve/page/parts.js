// What every part of the page uses: its elements, and the server.
export const at = (id) => document.getElementById(id);

export const make = (tag, content, className) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  for (const each of [content ?? ""].flat()) node.append(each);
  return node;
};

export const complain = (sentence) => {
  at("problem").textContent = sentence;
  at("problem").hidden = !sentence;
};

const headers = () => {
  const key = at("key").value || sessionStorage.getItem("key") || "";
  return { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) };
};

export async function send(path, body, signal) {
  const response = await fetch(path, body ? { method: "POST", headers: headers(), body: JSON.stringify(body), signal } : { headers: headers(), signal });
  if (response.ok) return response;
  if (response.status === 401) at("key-label").hidden = false;
  const told = await response.json().catch(() => null);
  throw new Error(told?.error?.message ?? `the server answered ${response.status}`);
}
