// tsx transpiles only on the main thread.
import { isMainThread } from "node:worker_threads";
import { register } from "tsx/esm/api";

if (!isMainThread) register();
