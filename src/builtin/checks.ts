// North's own checks, one line each.
export { syntax } from "./checks/syntax.js";
