import { applyEvent } from "./events.js";
import { isSigned } from "./signature.js";

/** Handles POST /events. `request` is {headers, body: Buffer}; answers {status, text}. */
export function createReceiver({ database, secret, log }) {
  return async function receive(request) {
    if (!isSigned(request.body, request.headers["x-signature"], secret)) {
      return { status: 401, text: "bad signature" };
    }
    let event;
    try {
      event = JSON.parse(request.body.toString("utf8"));
    } catch {
      return { status: 400, text: "not JSON" };
    }
    const outcome = await applyEvent(database, event);
    log.info({ event: event.id, outcome });
    return { status: 200, text: outcome };
  };
}
