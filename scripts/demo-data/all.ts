export { lamp2m } from "./movies.js";
export { lamp2n, lamp4 } from "./news.js";
export { lamp1, lamp5 } from "./papers.js";
export { lamp3 } from "./reviews.js";
