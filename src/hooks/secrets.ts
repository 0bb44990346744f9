export { secretsForCommand as default } from "../host/project/plugin-secrets.js";
