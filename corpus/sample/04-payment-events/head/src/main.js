import { createServer } from "node:http";
import { Background } from "./background.js";
import { openDatabase } from "./database.js";
import { createPartner } from "./dunning.js";
import { applyEvent } from "./events.js";
import { createReceiver } from "./receiver.js";

const database = await openDatabase(process.env.DATABASE_URL);
const partner = createPartner(process.env.DUNNING_URL);
const log = { info: (entry) => console.log(JSON.stringify(entry)) };
const background = new Background({
  work: (event) => applyEvent(database, partner, event),
  workers: Number(process.env.WORKERS ?? 4),
  log,
});
const receive = createReceiver({ background, secret: process.env.HOOK_SECRET });

createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  try {
    const answer = await receive({ headers: request.headers, body: Buffer.concat(parts) });
    response.writeHead(answer.status).end(answer.text);
  } catch (error) {
    log.info({ error: String(error) });
    response.writeHead(500).end("failed");
  }
}).listen(Number(process.env.PORT ?? 8080));
