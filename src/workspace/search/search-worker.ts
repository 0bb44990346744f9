import { parentPort, workerData } from "node:worker_threads";
import { searchWithJavaScript } from "./javascript-search.js";

// A rejection ends the worker with an error, which the other side is given.
void searchWithJavaScript(workerData).then((lines) => parentPort?.postMessage(lines));
