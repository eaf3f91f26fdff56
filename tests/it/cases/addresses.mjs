// Asks a running product for every address of addresses.tsv: status, title, and one fact that must stand on it (of a
// redirect: where it leads).   node tests/it/cases/addresses.mjs http://localhost:8080
import { readFileSync } from "node:fs";

const base = process.argv[2] ?? "http://localhost:8080";
const [, ...lines] = readFileSync(new URL("addresses.tsv", import.meta.url), "utf8").trimEnd().split("\n");
const plain = (text) =>
  text.replace(/&amp;/g, "&").replace(/&quot;/g, '"').replace(/&#(39|x27);/g, "'").replace(/&lt;/g, "<").replace(/&gt;/g, ">");

async function ask(address) {
  for (let tries = 0; ; tries += 1) {
    const answer = await fetch(base + address, { redirect: "manual" });
    if (answer.status !== 429 || tries === 5) return answer;
    await new Promise((done) => setTimeout(done, 2000));
  }
}

let wrong = 0;
for (const line of lines) {
  const [address, status, title, fact, row] = line.split("\t");
  const answer = await ask(address);
  const text = plain(await answer.text());
  const found = /<title>(.*?)<\/title>/s.exec(text)?.[1].replace(/ – [^–]*$/, "") ?? "";
  const problems = [];
  if (String(answer.status) !== status) problems.push(`status ${answer.status}, not ${status}`);
  if (status === "200" && title && found !== title) problems.push(`title “${found}”, not “${title}”`);
  const told = status.startsWith("30") ? (answer.headers.get("location") ?? "") : text;
  if (fact && !told.includes(fact)) problems.push(`“${fact}” is not there`);
  if (problems.length > 0) {
    wrong += 1;
    console.log(`${row} ${address}: ${problems.join("; ")}`);
  }
}
console.log(`${lines.length} addresses, ${wrong} wrong`);
process.exitCode = wrong > 0 ? 1 : 0;
