/* SPDX-License-Identifier: Apache-2.0
 * A function of yours that a run calls before every step: `pegrasp run SCENE --user-function ./libmine.so`. It reads
 * the state and sets what motors are asked for and what pushes the bodies in the step. C, so that any language that makes a shared library will
 * do:
 *
 *   int pegrasp_user_function(pegrasp_user_step* step) { step->target[0] = -0.1 * step->joint_turn[0]; return 0; }
 *
 * cc -shared -fPIC -o libmine.so mine.c
 */
#ifndef PEGRASP_USER_FUNCTION_H
#define PEGRASP_USER_FUNCTION_H

#ifdef __cplusplus
extern "C" {
#endif

#define PEGRASP_USER_FUNCTION_VERSION 2 /* 2: wrench */

typedef struct pegrasp_user_step {
  /* PEGRASP_USER_FUNCTION_VERSION of the caller. New fields are added at the end: a library that was made for an
   * earlier version goes on to work, and one that uses new fields asks for the version first. */
  int version;
  int step;    /* of the step that comes, from 0 */
  double time; /* [s] at which it begins */
  double h;    /* [s] its length */
  int body_count, joint_count, motor_count, contact_count;
  const char* const* body_name;  /* (bodies) */
  const char* const* joint_name; /* (joints) */
  const char* const* motor_name; /* (motors) */
  const int* present;            /* (bodies) 0 before the body's drop_time */
  const double* pose;            /* (bodies, 7) x, y, z [m], qw, qx, qy, qz; planar bodies: about z. World */
  const double* velocity;        /* (bodies, 6) vx, vy, vz [m/s] of the centre of mass, wx, wy, wz [rad/s]. World */
  const double* joint_slide;     /* (joints) [m] */
  const double* joint_turn;      /* (joints) [rad] */
  const double* joint_apart;     /* (joints) [m] by how much the joint is violated */
  /* Contacts of the last step that carried force: bodies, and in the world the mean force [N] on the second and
   * where it acts [m]. */
  const int* contact_bodies;   /* (contacts, 2) */
  const double* contact_force; /* (contacts, 3) */
  const double* contact_point; /* (contacts, 3) */
  /* (motors) is added to what the scene asks of the motor in the step that comes: a force [N], a torque [N m], or a
   * servo's speed or coordinate. It keeps what it was set to; 0 before the first call. */
  double* target;
  void** user_data; /* yours, null before the first call */
  /* (bodies, 6) is added to what acts on the body in the step that comes, and constant in it: force x, y, z [N] on the
   * centre of mass, torque x, y, z [N m], world; of planar bodies [0], [1] and [5]. It keeps what it was set to; 0
   * before the first call. Bodies that are not dynamic, and components out of the plane, must stay 0. Since version 2. */
  double* wrench;
} pegrasp_user_step;

/* Returns 0; anything else ends the run with an error that names the number. Also called once with step = -1 after the
 * last step, to look at the end and to free what user_data points to; targets and wrenches then mean nothing. */
int pegrasp_user_function(pegrasp_user_step* step); /* what you define */
typedef int (*pegrasp_user_function_type)(pegrasp_user_step* step);

#ifdef __cplusplus
}
#endif

#endif
