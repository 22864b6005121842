import { createServer } from "node:http";
import { openDatabase } from "./database.js";
import { createReceiver } from "./receiver.js";

const database = await openDatabase(process.env.DATABASE_URL);
const log = { info: (entry) => console.log(JSON.stringify(entry)) };
const receive = createReceiver({ database, secret: process.env.HOOK_SECRET, log });

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
