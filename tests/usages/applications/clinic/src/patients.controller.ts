import { Controller, Get, Param, Patch, Post } from '@nestjs/common';
import { Patient } from './access.js';
import { PatientService } from './patients.service.js';

@Controller('patients')
export class PatientsController {
  constructor(private readonly patients: PatientService) {}

  @Get()
  list() {
    return this.patients.list();
  }

  @Get(':id')
  @Patient('read')
  read(@Param('id') id: string) {
    return { id };
  }

  @Patch(':id')
  @Patient('update')
  update(@Param('id') id: string) {
    return { id };
  }

  @Post(':id/discharge')
  @Patient('dischrge')
  discharge(@Param('id') id: string) {
    return { id };
  }

  @Get(':id/history')
  history(@Param('id') id: string) {
    return this.patients.history(id);
  }
}
