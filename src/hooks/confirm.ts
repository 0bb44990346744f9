export { confirmForPlugin as default } from "../host/command-line/confirm-for-plugin.js";
