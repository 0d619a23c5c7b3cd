import { Controller, Delete, Get, Post, UseGuards } from '@nestjs/common';
import { AppointmentGuard, Requires } from './access.js';

@Controller({ path: 'appointments' })
@UseGuards(AppointmentGuard)
export class AppointmentsController {
  @Post()
  @Requires('book')
  book() {
    return {};
  }

  @Delete(':id')
  @Requires('cancel')
  cancel() {
    return {};
  }
}

// authz: public - opening hours are on the door
@Controller('hours')
export class HoursController {
  @Get()
  hours() {
    return '9-17';
  }
}
