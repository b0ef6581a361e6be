// Requests to the worker, each as a promise.

export class Module {
  constructor() {
    this.worker = new Worker("worker.js");
    this.waiting = new Map();
    this.next = 0;
    this.worker.onmessage = ({ data }) => {
      const { resolve, reject } = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if (data.answer.error) reject(new Error(data.answer.error));
      else resolve({ ...data.answer, data: data.data });
    };
    this.worker.onerror = (event) => {
      for (const { reject } of this.waiting.values()) reject(new Error(event.message || "the worker does not start"));
      this.waiting.clear();
    };
  }

  /// Returns a promise of the answer. It fails with the module's message.
  ask(request, bytes) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, request, bytes }, bytes ? [bytes.buffer] : []);
    });
  }
}
