import { parentPort, workerData } from "node:worker_threads";
import { searchWithJavaScript } from "./javascript-search.js";

// A rejection becomes the worker's `error` event.
void searchWithJavaScript(workerData).then((lines) => parentPort?.postMessage(lines));
