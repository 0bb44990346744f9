export { projectIdForCommand as default } from "../host/project/load-plugins.js";
