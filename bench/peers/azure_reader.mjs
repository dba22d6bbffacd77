// azure_reader.mjs CONTAINER_URL READS: the reconstruction with @azure/storage-blob, plainly and with Promise.all.
import { ContainerClient, StorageSharedKeyCredential } from "@azure/storage-blob";

const [url, reads] = [process.argv[2], Number(process.argv[3])];
const credential = new StorageSharedKeyCredential("bench", Buffer.from("bench-secret").toString("base64"));
const container = new ContainerClient(url, credential, { retryOptions: { maxTries: 1 } });
let asked = 0;

const padded = (value) => value.toString().padStart(20, "0");
const record = (seq) => `_graph/main/${padded(2n ** 64n - 1n - BigInt(seq))}.commit`;
const checkpoint = (seq) => `_graph/main/checkpoints/${padded(seq)}.json`;
const hint = "_graph/main/latest.json";

async function get(name) {
  asked += 1;
  try {
    return JSON.parse((await container.getBlobClient(name).downloadToBuffer()).toString());
  } catch (why) {
    if (why.statusCode === 404) return null;
    throw why;
  }
}

const fromCheckpoint = (value) =>
  new Map(value.heads.map((head) => [head.stable_table_id, head.pin?.target_version ?? 0]));

function apply(heads, value) {
  for (const each of value.tombstones ?? []) heads.delete(each.stable_table_id);
  for (const each of value.registrations ?? []) heads.set(each.stable_table_id, 0);
  for (const each of value.pins) heads.set(each.stable_table_id, each.target_version);
}

async function oneByOne() {
  const base = (await get(hint)).checkpoint;
  const heads = fromCheckpoint(await get(checkpoint(base)));
  for (let seq = base + 1, value; (value = await get(record(seq))) !== null; seq += 1) apply(heads, value);
  return heads;
}

async function atOnce() {
  const { checkpoint: base, seq: newest } = await get(hint);
  const names = [checkpoint(base)];
  for (let seq = base + 1; seq <= newest + 1; seq += 1) names.push(record(seq));
  const [first, ...rest] = await Promise.all(names.map(get));
  const heads = fromCheckpoint(first);
  for (const value of rest) {
    if (value === null) break;
    apply(heads, value);
  }
  return heads;
}

async function measure(plan, read) {
  if ((await read()).size === 0) throw new Error("the state is empty");
  const took = [];
  asked = 0;
  for (let i = 0; i < reads; i += 1) {
    const began = performance.now();
    await read();
    took.push(performance.now() - began);
  }
  took.sort((a, b) => a - b);
  const at = (share) => took[Math.round(share * (took.length - 1))];
  console.log(JSON.stringify({ bench: "peers", client: "@azure/storage-blob", plan, samples: reads, ms_p10: at(0.1),
    ms_p50: at(0.5), ms_p90: at(0.9), ms_p99: at(0.99), requests: asked / reads }));
}

await measure("one by one", oneByOne);
await measure("at once", atOnce);
