// A small event bus. A listener that throws never stops the others.

export class EventBus {
  #listeners = new Map();
  #failures = [];

  on(type, listener) {
    const listeners = this.#listeners.get(type) ?? [];
    listeners.push(listener);
    this.#listeners.set(type, listeners);
    return () => this.off(type, listener);
  }

  once(type, listener) {
    const stop = this.on(type, (event) => {
      stop();
      listener(event);
    });
    return stop;
  }

  off(type, listener) {
    const listeners = this.#listeners.get(type) ?? [];
    this.#listeners.set(
      type,
      listeners.filter((each) => each !== listener),
    );
  }

  emit(type, detail = {}) {
    const event = Object.freeze({ type, ...detail });
    for (const listener of [...(this.#listeners.get(type) ?? []), ...(this.#listeners.get("*") ?? [])]) {
      try {
        listener(event);
      } catch (error) {
        this.#failures.push({ event, error });
      }
    }
    return event;
  }

  /** What listeners threw, oldest first; reading empties the list. */
  takeFailures() {
    return this.#failures.splice(0);
  }
}
