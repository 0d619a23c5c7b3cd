import { message } from './message.js';

export const celMessages = {
};
