/** Works on events one after another in `workers` parallel lines. */
export class Background {
  #waiting = [];
  #running = 0;
  #idle = [];

  constructor({ work, workers, log }) {
    this.work = work;
    this.workers = workers;
    this.log = log;
  }

  /** Adds an event; returns at once. */
  add(event) {
    this.#waiting.push(event);
    this.#start();
  }

  /** Resolves when nothing waits and nothing runs. */
  idle() {
    if (this.#running === 0 && this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #start() {
    while (this.#running < this.workers && this.#waiting.length > 0) {
      const event = this.#waiting.shift();
      this.#running += 1;
      this.#run(event).finally(() => {
        this.#running -= 1;
        this.#start();
        if (this.#running === 0 && this.#waiting.length === 0) {
          for (const resolve of this.#idle.splice(0)) resolve();
        }
      });
    }
  }

  async #run(event) {
    try {
      const outcome = await this.work(event);
      this.log.info({ event: event.id, outcome });
    } catch (error) {
      this.log.info({ event: event.id, error: String(error), next: "again" });
      this.#waiting.push(event);
    }
  }
}
