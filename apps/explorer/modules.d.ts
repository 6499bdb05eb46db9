/** Types of what comes without them. */

declare module "*.css";
