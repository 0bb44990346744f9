export { secretsForCommand as default } from "../host/project/load-plugins.js";
